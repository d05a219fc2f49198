import { errAsync, ok, okAsync } from 'neverthrow';
import type { Catalog, CategoryId } from '../../catalog/index.ts';
import type { OfferId, OfferView, SellerId } from '../../gost/index.ts';
import {
  silentTelemetry,
  unavailable,
  type Clock,
  type DeadLetter,
  type JobSpec,
  type LogRecord,
  type Random,
} from '../../kernel/index.ts';
import {
  inMemoryGenericStorage,
  jsonCodec,
  manualClock,
  memoryDatabase,
  seededRandom,
  type Io,
  type MemoryDatabase,
} from '../../kernel/testing.ts';
import {
  BULK_TOPIC,
  LIVE_TOPIC,
  type QualifiedBatch,
  type RawDocument,
  type RejectedDocument,
} from '../../vasgen/index.ts';
import type { OfferCard } from '../cards/offer-card.ts';
import type { SearchEvents } from '../events/search-event.ts';
import { openSearchScheduler, type SchedulerPorts } from '../open-search-scheduler.ts';
import { defaultSearchSettings, type SearchSettings } from '../settings.ts';
import { inMemoryClickCounts } from './in-memory-click-counts.ts';
import { inMemoryCtrStores } from './in-memory-ctr-stores.ts';
import { inMemoryParkingLot } from './in-memory-parking-lot.ts';
import { inMemoryTableSource, memoryTables } from './in-memory-table-source.ts';
import { sampleCatalog } from './sample-catalog.ts';

export const NOW_MS = 1_800_000_000_000;
export const viewOf = (id: OfferId, more: Partial<OfferView> = {}): OfferView => ({
  id,
  seller: 'ann' as SellerId,
  sellerType: 'private',
  source: undefined,
  status: 'active',
  reasons: [],
  category: 'cars' as CategoryId,
  attributes: [],
  title: 'BMW',
  description: 'x',
  price: undefined,
  photos: [],
  place: { address: undefined, point: undefined },
  geo: undefined,
  createdAtUs: 1,
  updatedAtUs: 500,
  expiresAtUs: undefined,
  version: 1,
  catalogVersion: 3,
  ...more,
});

/** What a test can change while the scheduler runs. */
export type SearchWorld = {
  readonly offers: Map<OfferId, OfferView>;
  catalog: Catalog;
  epochs: readonly number[];
  isStoreAway: boolean;
  isLogAway: boolean;
};
export const searchCodecs = {
  view: jsonCodec<OfferView>('view'),
  batch: jsonCodec<QualifiedBatch>('batch'),
  card: jsonCodec<OfferCard>('card'),
  deadLetter: jsonCodec<DeadLetter>('dead letter'),
  rejected: jsonCodec<RejectedDocument>('rejected'),
  events: jsonCodec<SearchEvents>('search events'),
};
export type OpenWorldOptions = {
  readonly mode?: MemoryDatabase['mode'];
  readonly settings?: Partial<SearchSettings>;
  readonly ports?: Partial<SchedulerPorts>;
  readonly io?: Io;
  readonly random?: Random;
};

/** A scheduler on memory alone. `reopen` is another process on the same stores. */
export const openWorld = (options: OpenWorldOptions = {}) => {
  const time = manualClock(NOW_MS);
  const clock: Clock = time.clock;
  const world: SearchWorld = {
    offers: new Map(),
    catalog: sampleCatalog(),
    epochs: [1],
    isStoreAway: false,
    isLogAway: false,
  };
  const db = memoryDatabase({ nowMs: clock.nowMs, mode: options.mode ?? 'plain' });
  const tables = memoryTables();
  const published: LogRecord[] = [];
  const asked: string[] = [];
  const copy = () => ok({ catalog: world.catalog, ageMs: 0 });
  const settings = { ...defaultSearchSettings, ...options.settings };
  const portsOf = (io?: Io): SchedulerPorts => ({
    catalog: {
      copy: () => (asked.push('catalog'), copy()),
      atLeast: async () => (asked.push('catalog'), copy()),
    },
    epochs: {
      living: () =>
        okAsync(
          world.epochs.map((epoch) => ({
            epoch,
            state: 'serving' as const,
            schema: { number: 0, fields: {} },
          })),
        ),
      declare: () => okAsync(undefined),
    },
    indexed: { page: () => okAsync({ offers: [], next: undefined }), versions: () => okAsync(new Map()) },
    offers: {
      page: () => okAsync({ views: [...world.offers.values()], next: undefined }),
      find: (ids) => {
        asked.push('offers');
        if (world.isStoreAway) return errAsync(unavailable('offer store'));
        return okAsync(
          new Map(
            ids.flatMap((id) => {
              const view = world.offers.get(id);
              return view ? [[id, view] as const] : [];
            }),
          ),
        );
      },
    },
    ctr: inMemoryCtrStores(db, io),
    clicks: inMemoryClickCounts(db, io),
    lot: inMemoryParkingLot(db, io),
    tables: inMemoryTableSource(tables),
    storage: inMemoryGenericStorage(db, io),
    log: {
      promises: { fences: false, joinsTransactions: false },
      publish: (records) => {
        if (world.isLogAway) return errAsync(unavailable('log'));
        published.push(...records);
        return okAsync(undefined);
      },
    },
    clock,
    random: options.random ?? seededRandom(1),
    telemetry: silentTelemetry,
    codecs: searchCodecs,
    partitions: 2,
    ...options.ports,
  });
  const open = (io = options.io) => openSearchScheduler(portsOf(io), settings);
  const first = open();
  const sentTo = (topic: string): readonly RawDocument[] =>
    published
      .filter((record) => record.topic === topic)
      .flatMap(({ value }) => searchCodecs.batch.decode(value)._unsafeUnwrap().documents);
  const deliverTo = ({ scheduleOffers }: Pick<typeof first, 'scheduleOffers'>, views: readonly OfferView[]) =>
    scheduleOffers(
      {
        topic: 'gost-offer-updates',
        partition: 3,
        records: views.map((view, offset) => ({
          key: view.id,
          value: searchCodecs.view.encode(view),
          headers: {},
          timestampMs: clock.nowMs() - 5,
          position: { log: 'l', topic: 'gost-offer-updates', partition: 3, offset },
        })),
      },
      new AbortController().signal,
    );
  return {
    ...first,
    reopen: open,
    ports: portsOf,
    world,
    tables,
    time,
    db,
    asked,
    published,
    live: () => sentTo(LIVE_TOPIC),
    bulk: () => sentTo(BULK_TOPIC),
    /** Delivers views as records of one partition. */
    deliver: (...views: readonly OfferView[]) => deliverTo(first, views),
    deliverTo,
    /** Runs a job once. */
    run: async (name: string, of: { readonly ctrJobs: readonly JobSpec[] } = first) =>
      of.ctrJobs.find((job) => job.name === name)!.run({ token: 1, signal: new AbortController().signal }),
  };
};
/** The click rate that a document carries. */
export const ctrOf = ({ fields }: RawDocument): unknown => fields.find(({ name }) => name === 'ctr')?.value;
