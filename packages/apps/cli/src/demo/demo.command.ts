import { catalogClient, publishingClient, type GrpcChannel, type RpcError } from '@doska/adapters-grpc';
import { catalogOf, type Catalog } from '@doska/core/catalog';
import { err, ok, type Result } from 'neverthrow';
import { EXIT, problem, type CommandProblem, type CommandResult } from '../outcome.ts';
import { connect } from '../platform.ts';
import { makeProgress } from '../progress.ts';
import { refusalInWords } from '../refusal.ts';
import { demoOffer } from './demo-offers.ts';
import { seedRates, type SeededRates } from './demo-rates.ts';

export type DemoSeedOptions = {
  readonly offers: string;
  readonly sellers: string;
  readonly seed: string;
  readonly rates: boolean;
};

const SELLERS_MAX = 10_000;
const OFFERS_MAX = 1_000_000;
/** Sellers that publish at the same time. Their commits travel together, so more of them make fewer transactions. */
const AT_ONCE = 128;

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

const ratesInWords = (rates: SeededRates): string => {
  switch (rates.kind) {
    case 'loaded':
      return `${rates.rows} of them have a click rate.`;
    case 'there':
      return `The click rates of ${rates.rows} offers were there already.`;
    case 'others':
      return `The click rates of the table ${rates.table} stay: they are not of the demo.`;
  }
};
/** Click rates for the active offers of these sellers. */
const ratesOfAll = async (
  channel: GrpcChannel,
  seed: number,
  sellers: readonly string[],
): Promise<Result<SeededRates, CommandProblem>> => {
  const publishing = publishingClient(channel);
  const ids: string[] = [];
  const left = [...sellers];
  let failure: RpcError | undefined;
  const work = async (): Promise<void> => {
    for (let seller = left.shift(); seller !== undefined && !failure; seller = left.shift()) {
      const active = await publishing.active(seller);
      if (active.isErr()) failure ??= active.error;
      else ids.push(...active.value);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failure) return err(refusalInWords('The offer store', failure));
  return (await seedRates(channel, seed, ids)).mapErr((error) =>
    refusalInWords('The search scheduler', error),
  );
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
  const names = waiting.map(({ name }) => name);
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
  if (failure) {
    channel.value.close();
    return err(refusalInWords('The offer store', failure));
  }
  const rates = given.rates ? await ratesOfAll(channel.value, seed, names) : ok(undefined);
  channel.value.close();
  if (rates.isErr()) return err(rates.error);
  return ok({
    value: { ...sum, rates: rates.value },
    text: [
      `${sum.published} offers of ${sellers} sellers are published, ${sum.there} were there already.`,
      ...(rates.value ? [ratesInWords(rates.value)] : []),
    ].join('\n'),
  });
};
