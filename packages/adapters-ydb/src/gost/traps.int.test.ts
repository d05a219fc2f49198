import { afterEach, beforeEach, expect, test } from 'vitest';
import { gostCodecs } from '@doska/adapters-proto';
import { ok } from 'neverthrow';
import { type GostStores, type OfferChange, type SellerId } from '@doska/core/gost';
import { COMMIT_BYTES_MAX, TOTALS, type FeedMove, type FeedRow } from '@doska/core/gost/storage';
import { alteration, publication, sampleSeller } from '@doska/core/gost/testing';
import { realClock } from '@doska/core/kernel/testing';
import type { YdbClient } from '../driver/client.ts';
import { query } from '../driver/query.ts';
import { openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { ydbGostStores } from './ydb-gost-stores.ts';

/** What only this adapter can get wrong: tables that stand for indexes, and transactions that are refused instead of waiting. */
let db: OpenYdb;
let client: YdbClient;
let stores: GostStores;
beforeEach(async () => {
  db = await openYdb();
  ({ client } = await openDirectory(db));
  stores = ydbGostStores({ client, codecs: gostCodecs, clock: realClock });
});
afterEach(async () => {
  await client.close();
  await db.close();
});
const seller = sampleSeller();
const all = { seller, preset: 'all' } as const;
const commit = async (...changes: OfferChange[]) =>
  (await stores.offers.commit([{ changes }]))._unsafeUnwrap().map((outcome) => outcome._unsafeUnwrap());

const feed = { seller, namespace: 'main' };
const row = (externalId: string, task: number, removedAtUs?: number): FeedRow => ({
  externalId,
  offerId: undefined,
  task,
  ordinal: 0,
  result: { verdict: 'inserted', errors: [] },
  removedAtUs,
});
const load = async (expectedVersion: number, rows: readonly FeedRow[], dropped: readonly string[] = []) => {
  const progress = {
    task: 1,
    generation: 1,
    nextBatch: 0,
    offersSeen: 0,
    answeredAtUs: 0,
    terminal: undefined,
  };
  const move: FeedMove = { ...feed, expectedVersion, progress, rows, dropped };
  expect(await stores.offers.commit([{ changes: [], feed: move }])).toEqual(ok([ok(undefined)]));
};
const unseen = async (task: number) =>
  (await stores.feeds.unseenSince(feed, task, 10))
    ._unsafeUnwrap()
    .map(({ externalId }) => externalId)
    .sort();
const count = async (task: number) => (await stores.feeds.count(feed, task))._unsafeUnwrap();

test('[G8] a feed row is found by the load that last contained it, and by no other', async () => {
  await load(0, [row('a', 1), row('b', 1)]);
  await load(1, [row('a', 2)]);
  expect([await unseen(2), await unseen(3)]).toEqual([['b'], ['a', 'b']]);
  expect([await count(2), await count(3)]).toEqual([
    { rows: 2, unseen: 1 },
    { rows: 2, unseen: 2 },
  ]);
  await load(2, [row('a', 2)]);
  expect(await count(3)).toEqual({ rows: 2, unseen: 2 });
  await load(3, [], ['a']);
  expect([await unseen(9), await count(9)]).toEqual([['b'], { rows: 1, unseen: 1 }]);
});
test('[G8] a removed feed row that came back is kept; a dropped one leaves nothing to delete', async () => {
  await load(0, [row('a', 1, 100), row('b', 1, 100), row('c', 1, 100)]);
  expect(await count(9)).toEqual({ rows: 0, unseen: 0 });
  await load(1, [row('a', 2)], ['b']);
  expect((await stores.feeds.forgetRemoved(1_000, 10))._unsafeUnwrap()).toBe(1);
  expect((await stores.feeds.rows(feed, ['a', 'b', 'c']))._unsafeUnwrap()).toEqual([row('a', 2)]);
  expect(await unseen(9)).toEqual(['a']);
});

test('[G6] the line that a repair counted last may be deleted before the next step', async () => {
  const made = [1, 2, 3, 4].map((n) => publication(n, { nowUs: n * 10 }));
  await commit(...made);
  expect((await stores.cabinet.repairStep(all, 2))._unsafeUnwrap()).toEqual({ done: false });
  await commit(alteration(made[2]!.offer, { kind: 'remove' }));
  expect((await stores.cabinet.repairStep(all, 9))._unsafeUnwrap()).toEqual({
    done: true,
    counted: 3,
    drift: 0,
  });
});
test('[G6] two concurrent repairs of one count end with the right count', async () => {
  await commit(...Array.from({ length: 40 }, (_, n) => publication(n)));
  const repair = async (): Promise<void> => {
    for (let n = 0; n < 12; n++) (await stores.cabinet.repairStep(all, 3))._unsafeUnwrap();
  };
  await Promise.all([repair(), repair()]);
  for (let done = false; !done;) ({ done } = (await stores.cabinet.repairStep(all, 1_000))._unsafeUnwrap());
  expect((await stores.cabinet.counts(seller))._unsafeUnwrap().all).toBe(40);
});
const SPOIL = query({
  name: 'test/spoil-total',
  parameters: { seller: 'Utf8', total: 'Uint32' },
  results: [],
  text: 'UPSERT INTO gost_user_total_counters (seller, total, currency, seq_no, value) VALUES ($seller, $total, ""u, 9u, 7l);',
});
test('[G11] concurrent repairs subtract the drift of a total only once', async () => {
  await commit(publication(1));
  (await client.write('spoil', (tx) => tx.commit(SPOIL, { seller, total: TOTALS.Active })))._unsafeUnwrap();
  const found = await Promise.all([1, 2, 3, 4].map(() => stores.cabinet.repairTotals(seller)));
  expect(found.flatMap((drifts) => drifts._unsafeUnwrap())).toEqual([
    { total: 'Active', currency: '', drift: 7 },
  ]);
  expect((await stores.cabinet.totals(seller))._unsafeUnwrap().Active).toBe(1);
});

test('[G12] the largest allowed commit fits one transaction, and may read more rows than one result holds', async () => {
  const sellers = Array.from({ length: 380 }, (_, n) => `seller-${n}` as SellerId);
  expect(sellers.length * 1_000).toBeLessThan(COMMIT_BYTES_MAX);
  for (const round of [0, 1]) {
    const made = sellers.map((who, n) =>
      publication(round * 1_000 + n, { seller: who, nowUs: 5, stripe: 0 }),
    );
    await commit(...made);
    const sold = made.map(({ offer }) =>
      alteration(offer, { kind: 'sell', onPlatform: true }, { stripe: 0 }),
    );
    // From the second round on all of these exist already.
    expect(sold.flatMap(({ totals }) => totals).length).toBeGreaterThan(1_000);
    await commit(...sold);
  }
  const last = sellers.at(-1)!;
  expect((await stores.cabinet.counts(last))._unsafeUnwrap()).toMatchObject({ all: 2, sold: 2, active: 0 });
  expect((await stores.cabinet.totals(last))._unsafeUnwrap()).toMatchObject({ Sold: 2, Active: 0 });
});
test('[G1] a thousand offers are loaded from one snapshot, although one result does not hold all their rows', async () => {
  for (let from = 0; from < 1_000; from += 250)
    await commit(...Array.from({ length: 250 }, (_, n) => publication(from + n)));
  const ids = Array.from({ length: 1_000 }, (_, n) => publication(n).offer.id);
  expect((await stores.offers.load(ids))._unsafeUnwrap()).toHaveLength(1_000);
});
test('[G5] if a batch of the largest records does not fit one answer, a part of it is read', async () => {
  const small = await openYdb({ resultBytesMax: 20_000 });
  if (!small.standIn) return; // the limit of a real server is 50 MB
  const opened = await openDirectory(small);
  const narrow = ydbGostStores({ client: opened.client, codecs: gostCodecs, clock: realClock });
  const records = Array.from({ length: 8 }, (_, n) => ({
    shard: 0,
    topic: 't',
    key: `k${n}`,
    id: '',
    atUs: n,
    value: new Uint8Array(6_000),
  }));
  (await narrow.offers.commit([{ changes: [], outbox: records }]))._unsafeUnwrap();
  expect((await narrow.queue.read(0, 8))._unsafeUnwrap().map(({ key }) => key)).toEqual(['k0', 'k1']);
  await opened.close();
  await small.close();
});

/** Stores that count in slices of three rows. */
const sliced = () => ydbGostStores({ client, codecs: gostCodecs, clock: realClock, sliceRows: 3 });
test.each([0, 1, 2, 3, 4, 6, 7])('[X16] a feed of %d rows is counted in slices', async (n) => {
  // The same external ids in two loads, so that a slice ends inside of a load and between two.
  await load(
    0,
    Array.from({ length: Math.ceil(n / 2) }, (_, i) => row(`a${i}`, 5)),
  );
  await load(
    1,
    Array.from({ length: Math.floor(n / 2) }, (_, i) => row(`b${i}`, 7)),
  );
  const { feeds } = sliced();
  for (const [task, unseen] of [
    [5, 0],
    [6, Math.ceil(n / 2)],
    [7, Math.ceil(n / 2)],
    [8, n],
  ] as const)
    expect((await feeds.count(feed, task))._unsafeUnwrap()).toEqual({ rows: n, unseen });
  const before = db.standIn?.calls.length ?? 0;
  await feeds.count(feed, 1);
  // A trip a slice, and the end of the transaction.
  if (db.standIn) expect(db.standIn.calls.length - before).toBe(Math.floor(n / 3) + 2);
});
test.each([0, 1, 3, 4, 7])(
  '[X16] totals of a seller with %d offers of each kind are recounted in slices',
  async (n) => {
    const active = Array.from({ length: n }, (_, i) => publication(i, { nowUs: 10 + Math.floor(i / 2) }));
    const sold = Array.from({ length: n }, (_, i) => publication(100 + i));
    await commit(...active, ...sold);
    await commit(...sold.map(({ offer }) => alteration(offer, { kind: 'sell', onPlatform: true })));
    const before = (await stores.cabinet.totals(seller))._unsafeUnwrap();
    expect(before).toMatchObject({ Active: n, Sold: n });
    expect((await sliced().cabinet.repairTotals(seller))._unsafeUnwrap()).toEqual([]);
    (await client.write('spoil', (tx) => tx.commit(SPOIL, { seller, total: TOTALS.Sold })))._unsafeUnwrap();
    expect((await sliced().cabinet.repairTotals(seller))._unsafeUnwrap()).toEqual([
      { total: 'Sold', currency: '', drift: 7 },
    ]);
    expect((await stores.cabinet.totals(seller))._unsafeUnwrap()).toEqual(before);
  },
);
