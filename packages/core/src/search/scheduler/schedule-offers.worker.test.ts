import { err, errAsync, ok, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import type { CategoryId, Catalog } from '../../catalog/index.ts';
import type { OfferId, OfferView } from '../../gost/index.ts';
import { unavailable, type Codec, type Delivered, type LogRecord } from '../../kernel/index.ts';
import {
  inMemoryGenericStorage,
  manualClock,
  memoryDatabase,
  recordingTelemetry,
  seededRandom,
} from '../../kernel/testing.ts';
import { LIVE_TOPIC, type QualifiedBatch, type RawDocument } from '../../vasgen/index.ts';
import type { OfferCard } from '../cards/offer-card.ts';
import { openSearchScheduler, type SchedulerPorts } from '../open-search-scheduler.ts';
import { defaultSearchSettings } from '../settings.ts';
import { inMemoryClickCounts } from '../testing/in-memory-click-counts.ts';
import { inMemoryCtrStores } from '../testing/in-memory-ctr-stores.ts';
import { inMemoryParkingLot } from '../testing/in-memory-parking-lot.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { NOW_MS, viewOf } from '../testing/search-world.ts';

const ID = '6XDR0DYBAT8C3' as OfferId;
const view = (more: Partial<OfferView> = {}): OfferView => viewOf(ID, more);
const json = <T>(): Codec<T> => ({
  encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
  decode: (bytes) => {
    const text = new TextDecoder().decode(bytes);
    return text === 'broken' ? err({ kind: 'Malformed', what: 'view' }) : ok(JSON.parse(text) as T);
  },
});

/** Click rates that were loaded in the future. */
const LOADED = {
  current: { epochMs: NOW_MS + 77, table: { name: 't', version: '1' }, rows: 1, loadedAtMs: 1 },
};
type World = {
  catalog?: Catalog;
  stored?: OfferView;
  isStoreAway?: boolean;
  isLogAway?: boolean;
  epochs?: readonly number[];
};
const open = (world: World = {}) => {
  const time = manualClock(NOW_MS);
  const recorded = recordingTelemetry();
  const db = memoryDatabase({ nowMs: time.clock.nowMs });
  const published: LogRecord[] = [];
  const asked: string[] = [];
  const copy = () => ok({ catalog: world.catalog ?? sampleCatalog(), ageMs: 0 });
  const views = json<OfferView>();
  const ports: SchedulerPorts = {
    catalog: {
      copy: () => (asked.push('catalog'), copy()),
      atLeast: async () => (asked.push('catalog'), copy()),
    },
    epochs: {
      living: () =>
        okAsync(
          (world.epochs ?? [1]).map((epoch) => ({
            epoch,
            state: 'serving' as const,
            schema: { number: 0, fields: {} },
          })),
        ),
      declare: () => okAsync(undefined),
    },
    indexed: { page: () => okAsync({ offers: [], next: undefined }), versions: () => okAsync(new Map()) },
    offers: {
      page: () => okAsync({ views: [], next: undefined }),
      find: () => {
        asked.push('offers');
        if (world.isStoreAway) return errAsync(unavailable('offer store'));
        return okAsync(new Map(world.stored ? [[world.stored.id, world.stored] as const] : []));
      },
    },
    ctr: inMemoryCtrStores(db),
    lot: inMemoryParkingLot(db),
    clicks: inMemoryClickCounts(db),
    tables: undefined,
    storage: {
      ...inMemoryGenericStorage(db),
      get: () =>
        okAsync([{ key: 'loads', version: 1, value: new TextEncoder().encode(JSON.stringify(LOADED)) }]),
      put: () => okAsync(2),
    },
    log: {
      promises: { fences: false, joinsTransactions: false },
      publish: (records) => {
        if (world.isLogAway) return errAsync(unavailable('log'));
        published.push(...records);
        return okAsync(undefined);
      },
    },
    clock: time.clock,
    random: seededRandom(1),
    telemetry: recorded.telemetry,
    codecs: {
      view: views,
      batch: json<QualifiedBatch>(),
      card: json<OfferCard>(),
      deadLetter: json(),
      rejected: json(),
      events: json(),
    },
    partitions: 2,
  };
  const { scheduleOffers } = openSearchScheduler(ports, defaultSearchSettings);
  const handle = (...records: readonly (OfferView | 'broken' | { readonly key: string })[]) =>
    scheduleOffers(
      {
        topic: 'gost-offer-updates',
        partition: 3,
        records: records.map((record, offset): Delivered => {
          const isView = typeof record === 'object' && 'id' in record;
          return {
            key: typeof record === 'object' && 'key' in record ? record.key : ID,
            value: isView ? views.encode(record) : new TextEncoder().encode('broken'),
            headers: {},
            timestampMs: NOW_MS - 5,
            position: { log: 'l', topic: 'gost-offer-updates', partition: 3, offset },
          };
        }),
      },
      new AbortController().signal,
    );
  const documents = (): readonly RawDocument[] =>
    published
      .filter(({ topic }) => topic === LIVE_TOPIC)
      .flatMap(({ value }) => json<QualifiedBatch>().decode(value)._unsafeUnwrap().documents);
  return { handle, documents, published, asked, time, counts: recorded.counts };
};
test('[S1] an active offer becomes one document in every living epoch, in the partition of its update', async () => {
  const { handle, documents, published } = open({ epochs: [1, 4] });
  expect(await handle(view())).toEqual({ kind: 'done' });
  expect(documents()).toMatchObject([
    { pk: ID, event: 'upsert', epoch: 1, version: 500 },
    { pk: ID, event: 'upsert', epoch: 4, version: 500 },
  ]);
  expect(published[0]).toMatchObject({ topic: LIVE_TOPIC, partition: 1, key: '3' });
});
test('[S1] [S5] a document is composed after the one before it, and never before the click rates that it uses', async () => {
  const { handle, documents } = open();
  await handle(view(), view({ updatedAtUs: 501 }));
  expect(documents().map(({ composedAtMs }) => composedAtMs)).toEqual([NOW_MS + 77, NOW_MS + 78]);
});
test.each(['hidden', 'expired', 'sold', 'removed', 'banned'] as const)(
  '[S1] an offer that is %s is deleted, and neither the catalogue nor the offer store is asked',
  async (status) => {
    const { handle, documents, asked } = open({ isStoreAway: true });
    expect(await handle(view({ status, category: 'no-such' as CategoryId }))).toEqual({ kind: 'done' });
    expect(documents()).toMatchObject([{ event: 'delete', version: 500 }]);
    expect(asked).toEqual([]);
  },
);
test('[S4] an offer newer than the catalogue waits and keeps its newest attributes', async () => {
  const newer = view({ catalogVersion: 4 });
  const { handle, documents } = open({ stored: newer });
  expect(await handle(newer)).toMatchObject({
    kind: 'blocked',
    handled: 0,
    reason: expect.stringContaining(ID) as string,
  });
  expect(documents()).toEqual([]);
});
test('[S4] a conversion that fails is tried again with the present offer', async () => {
  const { handle, documents } = open({ stored: view({ updatedAtUs: 501, title: 'mended' }) });
  expect(await handle(view({ category: 'no-such' as CategoryId }))).toEqual({ kind: 'done' });
  expect(documents()).toMatchObject([{ version: 501 }]);
});
test('[S4] an answer of the offer store that is older than the update is not taken', async () => {
  const { handle, documents } = open({ stored: view({ updatedAtUs: 499 }) });
  expect(await handle(view({ category: 'no-such' as CategoryId }))).toMatchObject({
    kind: 'blocked',
    handled: 0,
  });
  expect(documents()).toEqual([]);
});
test('[S4] what was converted before a failing offer goes out, and the position stands before it', async () => {
  const { handle, documents } = open({ isStoreAway: true });
  const outcome = await handle(view(), view({ updatedAtUs: 502, category: 'no-such' as CategoryId }), view());
  expect(outcome).toMatchObject({ kind: 'blocked', handled: 1 });
  expect(documents()).toMatchObject([{ version: 500 }]);
});
test('[S4] a record that can not be read is asked of the offer store', async () => {
  const found = open({ stored: view({ updatedAtUs: 7 }) });
  expect(await found.handle('broken')).toEqual({ kind: 'done' });
  expect(found.documents()).toMatchObject([{ event: 'upsert', version: 7 }]);
  const missing = open();
  expect(await missing.handle('broken')).toEqual({ kind: 'done' });
  expect(missing.documents()).toMatchObject([{ event: 'delete', version: (NOW_MS - 5) * 1_000 }]);
  const away = open({ isStoreAway: true });
  expect(await away.handle('broken')).toMatchObject({ kind: 'blocked', handled: 0 });
});
test('[S4] a record whose key is no offer becomes a dead letter, and the next one goes on', async () => {
  const { handle, documents, published } = open();
  expect(await handle({ key: 'nonsense' }, view())).toEqual({ kind: 'done' });
  expect(published.map(({ topic }) => topic).toSorted()).toEqual(['gost-offer-updates.dead', LIVE_TOPIC]);
  expect(documents()).toHaveLength(1);
});
test('[S1] the position stays before documents that could not be written', async () => {
  const { handle } = open({ isLogAway: true });
  expect(await handle(view())).toMatchObject({ kind: 'blocked', handled: 0 });
});
test('[S3] the time from a save to its document is observed once for each written change, however many epochs there are', async () => {
  const { handle, counts } = open({ epochs: [1, 4] });
  await handle(view(), view({ updatedAtUs: 501 }));
  expect(counts.get('doska_search_written_seconds')).toBe(2);
  const away = open({ isLogAway: true });
  await away.handle(view());
  expect(away.counts.has('doska_search_written_seconds')).toBe(false);
});
