import { catalogClient, publishingClient, type GrpcChannel, type RpcError } from '@doska/adapters-grpc';
import { catalogOf, type Catalog } from '@doska/core/catalog';
import { err, ok, type Result } from 'neverthrow';
import { EXIT, problem, type CommandResult } from '../outcome.ts';
import { connect } from '../platform.ts';
import { makeProgress } from '../progress.ts';
import { refusalInWords } from '../refusal.ts';
import { demoOffer } from './demo-offers.ts';

export type DemoSeedOptions = { readonly offers: string; readonly sellers: string; readonly seed: string };

const SELLERS_MAX = 10_000;
const OFFERS_MAX = 1_000_000;
/** Sellers that publish at the same time. */
const AT_ONCE = 32;

/** The newest catalogue that is published. */
const fetchCatalog = async (channel: GrpcChannel): Promise<Result<Catalog, string>> => {
  const fetched = await catalogClient(channel).fetch();
  if (fetched.isErr()) return err('The catalogue service does not answer.');
  return fetched.value
    ? ok(catalogOf(fetched.value.version, fetched.value.content))
    : err('No catalogue is published. Publish one with `doska catalog publish DIR`.');
};

const countOf = (text: string, most: number): number | undefined => {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= most ? value : undefined;
};

/** Publishes made-up offers through the public API. The same seed never publishes an offer twice. */
export const demoSeed = async (given: DemoSeedOptions): Promise<CommandResult> => {
  const offers = countOf(given.offers, OFFERS_MAX);
  const sellers = countOf(given.sellers, SELLERS_MAX);
  if (offers === undefined || sellers === undefined)
    return err(problem(`--offers is 1 to ${OFFERS_MAX}, --sellers is 1 to ${SELLERS_MAX}.`, EXIT.usage));
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const catalog = await fetchCatalog(channel.value);
  if (catalog.isErr()) {
    channel.value.close();
    return err(problem(catalog.error, EXIT.unavailable));
  }
  const seed = Number(given.seed);
  const known = catalog.value;
  const publishing = publishingClient(channel.value);
  const progress = makeProgress({ stream: process.stderr, nowMs: () => Date.now(), unit: 'offers' });
  const waiting = Array.from({ length: sellers }, (_, at) => ({
    name: `demo-${seed}-${at + 1}`,
    offers: Math.floor(offers / sellers) + (at < offers % sellers ? 1 : 0),
  }));
  const sum = { offers, published: 0, there: 0, sellers };
  let failure: RpcError | undefined;
  const work = async (): Promise<void> => {
    for (let seller = waiting.shift(); seller && !failure; seller = waiting.shift()) {
      // A seed that was interrupted goes on behind what is there.
      const there = await publishing.count(seller.name);
      if (there.isErr()) return void (failure ??= there.error);
      sum.there += Math.min(there.value, seller.offers);
      for (let n = there.value; n < seller.offers && !failure; n++) {
        const one = await publishing.publish(seller.name, demoOffer(known, seed, seller.name, n));
        if (one.isErr()) return void (failure ??= one.error);
        sum.published++;
        progress.at(sum.published + sum.there, offers);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  progress.end();
  channel.value.close();
  if (failure) return err(refusalInWords('The offer store', failure));
  return ok({
    value: sum,
    text: `${sum.published} offers of ${sellers} sellers are published, ${sum.there} were there already.`,
  });
};
