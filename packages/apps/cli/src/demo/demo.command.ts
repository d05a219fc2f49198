import { catalogClient, type GrpcChannel, type RpcError } from '@doska/adapters-grpc';
import { DraftServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/draft_service';
import {
  CabinetServiceDefinition,
  Preset,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { catalogOf, type Catalog } from '@doska/core/catalog';
import { err, ok, type Result } from 'neverthrow';
import { EXIT, problem, type CommandResult } from '../outcome.ts';
import { connect } from '../platform.ts';
import { makeProgress } from '../progress.ts';
import { refusalInWords } from '../refusal.ts';
import { demoOffer, type DemoOffer, type DemoValue } from './demo-offers.ts';

export type DemoSeedOptions = { readonly offers: string; readonly sellers: string; readonly seed: string };

const DEADLINE_MS = 30_000;
const SELLERS_MAX = 10_000;
const OFFERS_MAX = 1_000_000;
/** Sellers that publish at the same time. */
const AT_ONCE = 32;

const valueToPb = (value: DemoValue) => {
  if ('text' in value) return { value: { $case: 'text' as const, value: value.text } };
  if ('number' in value) return { value: { $case: 'number' as const, value: value.number } };
  return { value: { $case: 'flag' as const, value: value.flag } };
};
const textToPb = ({ title, description, price, address, phone, attributes }: DemoOffer) => ({
  title,
  description,
  price: price && { minorUnits: BigInt(price.minorUnits), currency: price.currency },
  photos: [],
  place: { address, point: undefined },
  contacts: { name: undefined, phone, email: undefined },
  attributes: attributes.map(({ attributeId, values }) => ({ attributeId, values: values.map(valueToPb) })),
});

/** Publishes the offers of one seller, one after another: a seller has one draft. */
const makeSeller = (channel: GrpcChannel, catalog: Catalog, seed: number) => {
  const drafts = channel.client(DraftServiceDefinition);
  const cabinet = channel.client(CabinetServiceDefinition);
  const options = { deadlineMs: DEADLINE_MS };
  /** Offers of the seller that are there already: a seed that was interrupted goes on behind them. */
  const published = async (seller: string): Promise<Result<number, RpcError>> =>
    cabinet
      .getSummary({ sellerId: seller }, options)
      .map(({ counts }) => Number(counts.find(({ preset }) => preset === Preset.PRESET_ALL)?.offers ?? 0n));
  const publish = async (seller: string, n: number): Promise<Result<void, RpcError>> => {
    const owner = { userId: seller, anonymousToken: '', anonymousId: '' };
    const offer = demoOffer(catalog, seed, seller, n);
    const { categoryId } = offer;
    const current = await drafts.getCurrentDraft({ owner, categoryId }, options);
    if (current.isErr()) return err(current.error);
    const draftId = current.value.draft?.id ?? '';
    const saved = await drafts.saveDraft({ owner, draftId, categoryId, text: textToPb(offer) }, options);
    if (saved.isErr()) return err(saved.error);
    return (await drafts.publishDraft({ draftId, sellerId: seller }, options)).map(() => undefined);
  };
  return { published, publish };
};

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
  const { published, publish } = makeSeller(channel.value, catalog.value, seed);
  const progress = makeProgress({ stream: process.stderr, nowMs: () => Date.now(), unit: 'offers' });
  const waiting = Array.from({ length: sellers }, (_, at) => ({
    name: `demo-${seed}-${at + 1}`,
    offers: Math.floor(offers / sellers) + (at < offers % sellers ? 1 : 0),
  }));
  const sum = { offers, published: 0, there: 0, sellers };
  let failure: RpcError | undefined;
  const work = async (): Promise<void> => {
    for (let seller = waiting.shift(); seller && !failure; seller = waiting.shift()) {
      const known = await published(seller.name);
      if (known.isErr()) return void (failure ??= known.error);
      sum.there += Math.min(known.value, seller.offers);
      for (let n = known.value; n < seller.offers && !failure; n++) {
        const one = await publish(seller.name, n);
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
