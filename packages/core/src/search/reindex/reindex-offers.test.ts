import { errAsync, ok, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import type { CategoryId } from '../../catalog/index.ts';
import { offerIdFrom, type OfferId, type OfferView } from '../../gost/index.ts';
import { silentTelemetry, unavailable, type Codec, type LogRecord } from '../../kernel/index.ts';
import { inMemoryGenericStorage, manualClock, memoryDatabase, seededRandom } from '../../kernel/testing.ts';
import { BULK_TOPIC, type QualifiedBatch, type RawDocument } from '../../vasgen/index.ts';
import type { OfferCard } from '../cards/offer-card.ts';
import { openSearchScheduler } from '../open-search-scheduler.ts';
import { defaultSearchSettings } from '../settings.ts';
import { inMemoryClickCounts } from '../testing/in-memory-click-counts.ts';
import { inMemoryCtrStores } from '../testing/in-memory-ctr-stores.ts';
import { inMemoryParkingLot } from '../testing/in-memory-parking-lot.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { NOW_MS, viewOf as view } from '../testing/search-world.ts';
import type { ReindexMode } from './reindex-offers.use-case.ts';
import type { ReindexSlice } from './reindex-slice.ts';

const IDS = [1, 2, 3, 4, 5].map((n) => offerIdFrom(Array.from({ length: 12 }, () => n)));
const json = <T>(): Codec<T> => ({
  encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
  decode: (bytes) => ok(JSON.parse(new TextDecoder().decode(bytes)) as T),
});

/** Offers, and for each epoch the versions of its documents. Pages have two rows, so that every pass has several. */
const open = (
  stored: readonly OfferView[],
  index: Readonly<Record<number, Readonly<Record<string, number>>>>,
  isLogAway = false,
) => {
  const db = memoryDatabase({ nowMs: () => NOW_MS });
  const published: LogRecord[] = [];
  const catalog = () => ok({ catalog: sampleCatalog(), ageMs: 0 });
  const paged = <T>(all: readonly T[], cursor: string) => {
    const from = Number(cursor === '' ? 0 : cursor);
    return { rows: all.slice(from, from + 2), next: from + 2 < all.length ? String(from + 2) : undefined };
  };
  const { reindexOffers } = openSearchScheduler(
    {
      catalog: { copy: catalog, atLeast: async () => catalog() },
      epochs: {
        living: () =>
          okAsync(
            Object.keys(index).map((epoch) => ({
              epoch: Number(epoch),
              state: 'serving' as const,
              schema: { number: 0, fields: {} },
            })),
          ),
        declare: () => okAsync(undefined),
      },
      offers: {
        page: (cursor) => {
          const { rows, next } = paged(
            stored.filter(({ status }) => status !== 'removed'),
            cursor,
          );
          return okAsync({ views: rows, next });
        },
        find: (ids) =>
          okAsync(new Map(stored.filter(({ id }) => ids.includes(id)).map((one) => [one.id, one]))),
      },
      indexed: {
        page: (epoch, cursor) => {
          const all = Object.entries(index[epoch]!).map(([pk, version]) => ({ pk, version }));
          const { rows, next } = paged(all, cursor);
          return okAsync({ offers: rows, next });
        },
        versions: (epoch, pks) =>
          okAsync(new Map(Object.entries(index[epoch]!).filter(([pk]) => pks.includes(pk)))),
      },
      ctr: inMemoryCtrStores(db),
      lot: inMemoryParkingLot(db),
      clicks: inMemoryClickCounts(db),
      tables: undefined,
      storage: inMemoryGenericStorage(db),
      log: {
        promises: { fences: false, joinsTransactions: false },
        publish: (records) => {
          if (isLogAway) return errAsync(unavailable('log'));
          published.push(...records);
          return okAsync(undefined);
        },
      },
      clock: manualClock(NOW_MS).clock,
      random: seededRandom(1),
      telemetry: silentTelemetry,
      codecs: {
        view: json(),
        batch: json<QualifiedBatch>(),
        card: json<OfferCard>(),
        deadLetter: json(),
        rejected: json(),
        events: json(),
      },
      partitions: 2,
    },
    defaultSearchSettings,
  );
  const walk = async (mode: ReindexMode, more: { epoch?: number; category?: string } = {}) => {
    const slices: ReindexSlice[] = [];
    for (let cursor = ''; ;) {
      const request = { mode, epoch: more.epoch, category: more.category, cursor };
      const slice = (await reindexOffers(request))._unsafeUnwrap();
      slices.push(slice);
      cursor = slice.nextCursor;
      if (cursor === '') break;
    }
    return slices
      .flatMap(({ findings }) => findings)
      .map(({ offerId, kind, epoch }) => [offerId, kind, epoch]);
  };
  const sent = (): readonly RawDocument[] =>
    published
      .filter(({ topic }) => topic === BULK_TOPIC)
      .flatMap(({ value }) => json<QualifiedBatch>().decode(value)._unsafeUnwrap().documents);
  return { walk, sent, reindexOffers };
};
const [a, b, c, d, gone] = IDS as [OfferId, OfferId, OfferId, OfferId, OfferId];
const stored = [view(a), view(b), view(c, { status: 'banned', updatedAtUs: 900 }), view(d)];
/** `b` is missing, `d` is old, `c` and `gone` should not be there. */
const index = { 1: { [a]: 500, [c]: 500, [d]: 400, [gone]: 700 }, 2: { [a]: 500, [b]: 500, [d]: 500 } };
const listed = (documents: readonly RawDocument[]) =>
  documents.map(({ pk, event, epoch, version }) => [pk, event, epoch, version]);

test('[S10] an audit tells what is missing, old, or should not be there, in each epoch, and sends nothing', async () => {
  const { walk, sent } = open(stored, index);
  expect(await walk('audit')).toEqual([
    [b, 'missing', 1],
    [d, 'missing', 1],
    [c, 'ghost', 1],
    [gone, 'ghost', 1],
  ]);
  expect(sent()).toEqual([]);
});

test('[S10] a repair sends only what differs, and its deletions win over the documents that are there', async () => {
  const { walk, sent } = open(stored, index);
  await walk('repair');
  expect(listed(sent())).toEqual([
    [b, 'upsert', 1, 500],
    [d, 'upsert', 1, 500],
    [c, 'delete', 1, 900],
    [gone, 'delete', 1, 700],
  ]);
  expect(sent().every(({ composedAtMs }) => composedAtMs >= NOW_MS)).toBe(true);
});

test('[S10] a re-index sends every active offer to the asked epoch, and deletes what should not be there', async () => {
  const { walk, sent } = open(stored, index);
  await walk('reindex', { epoch: 1 });
  expect(listed(sent())).toEqual([
    [a, 'upsert', 1, 500],
    [b, 'upsert', 1, 500],
    [d, 'upsert', 1, 500],
    [c, 'delete', 1, 900],
    [gone, 'delete', 1, 700],
  ]);
});

test('[S10] a re-index of a category sends its offers alone, also those of categories below', async () => {
  const { walk, sent } = open([view(a), view(b, { category: 'phones' as CategoryId })], { 1: { [gone]: 1 } });
  await walk('reindex', { category: 'transport' });
  expect(listed(sent())).toEqual([[a, 'upsert', 1, 500]]);
});

test('[S10] an offer that can not be converted is told, and the others go on', async () => {
  const { walk, sent } = open([view(a, { category: 'no-such' as CategoryId }), view(b)], { 1: {} });
  expect(await walk('reindex')).toEqual([[a, 'failed', undefined]]);
  expect(listed(sent())).toEqual([[b, 'upsert', 1, 500]]);
});

test('[S10] a change that may still be on its way is no difference', async () => {
  const young = { updatedAtUs: (NOW_MS - 1_000) * 1_000 };
  const { walk } = open([view(a, young), view(b, { ...young, status: 'hidden' })], { 1: { [b]: 5 } });
  expect(await walk('audit')).toEqual([]);
});

test('[S10] a slice whose documents can not be written fails, so that it is asked for again', async () => {
  const { reindexOffers } = open(stored, index, true);
  const request = { mode: 'reindex', epoch: undefined, category: undefined, cursor: '' } as const;
  expect((await reindexOffers(request)).isErr()).toBe(true);
  const errors = [
    await reindexOffers({ ...request, cursor: 'nonsense' }),
    await reindexOffers({ ...request, epoch: 9 }),
    await reindexOffers({ ...request, category: 'no-such' }),
  ];
  expect(errors.map((one) => one._unsafeUnwrapErr().kind)).toEqual(Array(3).fill('InvalidInput'));
});
