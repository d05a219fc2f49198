import { errAsync, ok, okAsync } from 'neverthrow';
import type { AttributeId, Catalog, CatalogCache, CategoryId } from '../../catalog/index.ts';
import type { OfferId, OfferView, SellerId } from '../../gost/index.ts';
import { silentTelemetry, unavailable, type Codec, type LogRecord } from '../../kernel/index.ts';
import { jsonCodec, manualClock } from '../../kernel/testing.ts';
import {
  indexChangeOf,
  queryPlanOf,
  type IndexName,
  type RawDocument,
  type SearchEngine,
  type SearchRequest,
} from '../../vasgen/index.ts';
import { plainAnalyzer, referenceEngine } from '../../vasgen/testing.ts';
import type { OfferCard } from '../cards/offer-card.ts';
import { documentOf } from '../document/offer-document.ts';
import { OFFERS_PLAN, offersPlans, offersSchema } from '../document/offer-fields.ts';
import { openSearchApi, type SearchApi } from '../open-search.ts';
import type { SearchIndex } from '../query/search-index.port.ts';
import type { SnippetSource } from '../query/snippet-source.port.ts';
import type { RawQuery } from '../query/search-query.ts';
import { defaultSearchSettings, type SearchSettings } from '../settings.ts';
import { sampleCatalog } from './sample-catalog.ts';

const EPOCH = 1;
const NAME = 'offers-1' as IndexName;
export const NOW_MS = 1_800_000_000_000;

export const jsonCards: Codec<OfferCard> = {
  encode: (card) => new TextEncoder().encode(JSON.stringify(card)),
  decode: (bytes) => ok(JSON.parse(new TextDecoder().decode(bytes)) as OfferCard),
};

type Values = Readonly<Record<string, readonly (string | number | boolean)[]>>;
/** An active offer of cars, with what a test says about it. */
export const offerOf = (
  id: string,
  {
    attributes = {},
    ...more
  }: Partial<Omit<OfferView, 'attributes'>> & { readonly attributes?: Values } = {},
): OfferView => ({
  id: id as OfferId,
  seller: 'ann' as SellerId,
  sellerType: 'private',
  source: undefined,
  status: 'active',
  reasons: [],
  category: 'cars' as CategoryId,
  title: 'BMW',
  description: 'как новая',
  price: { minorUnits: 100_000, currency: 'RUB' },
  photos: [],
  place: { address: 'Казань', point: undefined },
  geo: undefined,
  createdAtUs: NOW_MS * 1_000,
  updatedAtUs: NOW_MS * 1_000,
  expiresAtUs: undefined,
  version: 1,
  catalogVersion: 3,
  ...more,
  attributes: Object.entries(attributes).map(([attribute, values]) => ({
    attribute: attribute as AttributeId,
    values,
  })),
});
export const rawQuery = (more: Partial<RawQuery> = {}): RawQuery => ({
  text: '',
  category: '',
  filters: [],
  sort: '',
  near: '',
  pageSize: undefined,
  pageToken: '',
  spelling: '',
  ...more,
});

export type SearchInMemory = {
  readonly api: SearchApi;
  readonly index: SearchIndex;
  readonly engine: SearchEngine;
  readonly documents: readonly RawDocument[];
  /** Records that the API has published. */
  readonly published: readonly LogRecord[];
  /** The clock of the API. */
  readonly time: ReturnType<typeof manualClock>;
};

/** The search API over the reference engine, with the documents that these offers make. */
export const searchInMemory = async (
  offers: readonly OfferView[],
  {
    catalog = sampleCatalog(),
    settings = {},
    change = (index: SearchIndex): SearchIndex => index,
    copy = () => ok({ catalog, ageMs: 0 }),
    snippets,
    eventsAway,
  }: {
    readonly catalog?: Catalog;
    readonly settings?: Partial<SearchSettings>;
    readonly change?: (index: SearchIndex) => SearchIndex;
    readonly copy?: CatalogCache['copy'];
    readonly snippets?: SnippetSource;
    /** True: the topic of search events can't be written. */
    readonly eventsAway?: () => boolean;
  } = {},
): Promise<SearchInMemory> => {
  const engine = referenceEngine({ analyzer: plainAnalyzer });
  const schema = offersSchema(catalog);
  const all: SearchSettings = { ...defaultSearchSettings, ...settings };
  (await engine.create({ name: NAME, epoch: EPOCH, schema }))._unsafeUnwrap();
  const place = { epoch: EPOCH, composedAtMs: NOW_MS };
  const documents = offers.map(
    (offer) =>
      documentOf(offer, place, { catalog, schema, rates: all.rates, ctr: undefined, cards: jsonCards })
        .document,
  );
  (await engine.apply(NAME, documents.map(indexChangeOf)))._unsafeUnwrap();
  const declared = offersPlans(all.ranking)[OFFERS_PLAN]!;
  const none = { boosts: [], counts: [] };
  const planFor = (request: SearchRequest) =>
    queryPlanOf(request, request.plan === '' ? none : declared, NOW_MS);
  const more = { epoch: EPOCH, searcher: 'memory', indexAgeMs: 0 };
  const refused = (error: { readonly kind: string }) => {
    throw new Error(`the index refuses the request: ${JSON.stringify(error)}`);
  };
  const index = change({
    execute: (request) =>
      engine
        .execute({ index: NAME }, planFor(request))
        .mapErr(refused)
        .map((answer) => ({ ...answer, ...more })),
    explain: (request, pk) =>
      engine
        .explain({ index: NAME }, planFor(request), pk)
        .mapErr(refused)
        .map((told) => ({ ...told, ...more })),
    words: (plan) => engine.words({ index: NAME }, plan).mapErr(refused),
    documents: (_, pks) => okAsync(documents.filter(({ pk }) => pks.includes(pk))),
  });
  let answers = 0;
  const published: LogRecord[] = [];
  const time = manualClock(NOW_MS);
  const api = openSearchApi(
    {
      index,
      catalog: {
        copy,
        atLeast: async () => ok({ catalog, ageMs: 0 }),
      },
      analyzer: plainAnalyzer,
      signer: { sign: () => 'signature', verify: () => true },
      ids: { next: () => `query-${++answers}` },
      log: {
        promises: { fences: false, joinsTransactions: false },
        publish: (records) => {
          if (eventsAway?.()) return errAsync(unavailable('log'));
          published.push(...records);
          return okAsync(undefined);
        },
      },
      events: jsonCodec('search events'),
      cards: jsonCards,
      ...(snippets && { snippets }),
      clock: time.clock,
      telemetry: silentTelemetry,
    },
    all,
  );
  return { api, index, engine, documents, published, time };
};
