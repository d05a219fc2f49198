import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ok } from 'neverthrow';
import { emptySchema, type Refusal, type SegmentRow, type VasgenStores } from '@doska/core/vasgen';
import { sampleClient, sampleWrite } from '@doska/core/vasgen/testing';
import type { BlobHash } from '@doska/core/kernel';
import type { YdbClient } from '../driver/client.ts';
import { openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { ACCEPT_READ } from './registry-queries.ts';
import { ydbVasgenStores } from './ydb-vasgen-stores.ts';
import { query } from '../driver/query.ts';

/** What only this adapter can get wrong: bounds of answers and transactions, tables that stand for indexes, and refused commits. */
const client = sampleClient();
const SHARDS = 1_024;
const RESULT_BYTES = 2 << 20;
let db: OpenYdb;
let nowMs: number;
let connected: YdbClient;
let stores: VasgenStores;
beforeEach(async () => {
  nowMs = 5_000;
  db = await openYdb({ resultBytesMax: RESULT_BYTES, nowMs: () => nowMs });
  ({ client: connected } = await openDirectory(db, { only: 'vasgen' }));
  stores = ydbVasgenStores(connected);
  (await stores.epochs.ensureClient(client, SHARDS))._unsafeUnwrap();
});
afterEach(async () => {
  await connected.close();
  await db.close();
});
const write = (given: Parameters<typeof sampleWrite>[0], shard = 0) => sampleWrite(given, { shard });
const accept = async (...writes: ReturnType<typeof write>[]) =>
  (await stores.registry.accept(client, writes))._unsafeUnwrap();
const main = { client, queue: 'main', shard: 0, group: 'indexer' } as const;

describe('bounds', () => {
  test('[V5] rows are found although their bodies do not fit one answer', async () => {
    const body = new Uint8Array(300_000);
    const pks = Array.from({ length: 9 }, (_, n) => `p${n}`);
    for (const pk of pks) await accept(write({ pk, body }));
    const found = (await stores.registry.find(client, 1, pks))._unsafeUnwrap();
    expect(found.map(({ pk }) => pk).sort()).toEqual(pks);
    expect(found.every((row) => row.body?.length === body.length)).toBe(true);
  });
  test('[V6] elements of one document come with the row as it is now', async () => {
    for (const version of [1, 2, 3])
      await accept(write({ body: new Uint8Array(400_000), place: { version } }));
    const found = (await stores.queues.read(main, 0, 9))._unsafeUnwrap();
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ row }) => row?.place.version === 3 && row.body?.length === 400_000)).toBe(true);
  });
  test('[V3] the largest group of a receiver fits one transaction, over rows that have ttls', async () => {
    const pk = (n: number): string => `${n}`.padStart(40, 'k');
    const group = (version: number) =>
      Array.from({ length: 700 }, (_, n) =>
        write(
          { pk: pk(n), place: { version }, expiresAtMs: 9_000 + version, body: new Uint8Array(600) },
          n % 16,
        ),
      );
    for (const version of [1, 2]) {
      const outcomes = await accept(...group(version));
      expect(outcomes.every(({ kind }) => kind === 'written')).toBe(true);
    }
  });
  test('[V1] a thousand refusals with the longest reasons are remembered', async () => {
    const refusals = Array.from({ length: 1_000 }, (_, n): Refusal => ({
      pk: `p${n}`,
      epoch: 1,
      version: 1,
      timestampMs: 1,
      verdict: 'invalid',
      reason: 'ж'.repeat(1_000),
      atMs: n,
    }));
    expect(await stores.refusals.add(client, refusals)).toEqual(ok(undefined));
    expect((await stores.refusals.purge(client, 1_000, 1_000))._unsafeUnwrap()).toBe(1_000);
  });
  test('[V6] heads and offsets of more shards than one answer has rows', async () => {
    const pks = Array.from({ length: SHARDS }, (_, n) => `p${n}`);
    for (const from of [0, 512])
      await accept(...pks.slice(from, from + 512).map((pk, n) => write({ pk }, from + n)));
    await accept(write({ pk: 'again' }, 1_010));
    const heads = (await stores.queues.heads(client, 'main'))._unsafeUnwrap();
    expect(heads).toHaveLength(SHARDS);
    expect(heads.every((idx, shard) => idx === (shard === 1_010 ? 2 : 1))).toBe(true);
    const step = { from: undefined, failed: [], parked: [] };
    for (const shard of [3, 999, 1_000, 1_023])
      (await stores.queues.advance({ ...main, shard }, { ...step, to: shard }))._unsafeUnwrap();
    const offsets = (await stores.queues.offsets(client, 'main', 'indexer'))._unsafeUnwrap();
    expect(offsets).toHaveLength(SHARDS);
    expect(offsets.flatMap((idx, shard) => (idx === 0 ? [] : [[shard, idx]]))).toEqual([
      [3, 3],
      [999, 999],
      [1_000, 1_000],
      [1_023, 1_023],
    ]);
  });
  test('[V10] a window of the archive goes on behind segments that lie outside of it', async () => {
    const segment = (n: number, fromMs: number, toMs: number): SegmentRow => ({
      client,
      log: 'log-1',
      partition: n,
      fromOffset: 0,
      toOffset: 9,
      fromMs,
      toMs,
      records: 10,
      bytes: 100,
      hash: String(n).padStart(64, '0') as BlobHash,
      checksum: 'c',
      writtenAtMs: 500,
      scrubbedAtMs: 0,
    });
    const rows = [segment(1, 50, 60), segment(2, 51, 61), segment(3, 52, 62), segment(4, 5, 99)];
    for (const row of rows) (await stores.archive.add(row))._unsafeUnwrap();
    const list = await stores.archive.list(client, { fromMs: 0, toMs: 10, limit: 2 });
    expect(list._unsafeUnwrap()).toEqual([rows[3]]);
  });
});

describe('commits that meet', () => {
  const FILLER = query({
    name: 'test/filler',
    parameters: { pk: 'Utf8' },
    results: [],
    text: 'UPSERT INTO vasgen_erasure (client, pk, at_ms) VALUES ("x"u, $pk, 1l);',
  });
  /** How often a commit of documents runs when `work` happens between its read and its write. */
  const runsAround = async (work: () => Promise<unknown>): Promise<number> => {
    let runs = 0;
    const outcome = await connected.write('commit', async (tx) => {
      await tx.run(ACCEPT_READ, { client, epochs: [1], keys: [], heads: [] });
      if (++runs === 1) await work();
      await tx.commit(FILLER, { pk: 'a' });
    });
    outcome._unsafeUnwrap();
    return runs;
  };
  test('[V4] a growth of the schema does not refuse commits of documents that need none', async () => {
    const grown = { ...emptySchema, number: 1 };
    expect(await runsAround(async () => (await stores.epochs.grow(client, 1, grown))._unsafeUnwrap())).toBe(
      1,
    );
  });
  test('[V11] a change of the epochs refuses them, so no document is written into a finished epoch', async () => {
    const next = [{ epoch: 2, state: 'serving' as const }];
    expect(await runsAround(async () => (await stores.epochs.change(client, 1, next))._unsafeUnwrap())).toBe(
      2,
    );
  });
  test('[V6] commits of one process in one shard take turns, so none is refused', async () => {
    if (!db.standIn) return; // calls are counted on the stand-in only
    db.standIn.calls.length = 0;
    // A read and a commit for each.
    await Promise.all(Array.from({ length: 10 }, (_, version) => accept(write({ place: { version } }))));
    const calls = db.standIn.calls.filter((name) => name === 'ExecuteDataQuery');
    expect(calls).toHaveLength(20);
  });
});

describe('times', () => {
  const clockIsOurs = (): boolean => db.standIn !== undefined;
  test('[V6] an element is purged when it was written before the moment, by the clock of the database', async () => {
    if (!clockIsOurs()) return;
    await accept(write({}));
    (await stores.queues.advance(main, { from: undefined, to: 1, failed: [], parked: [] }))._unsafeUnwrap();
    expect((await stores.queues.purge(main, 5_000, 9))._unsafeUnwrap()).toBe(0);
    expect((await stores.queues.purge(main, 5_001, 9))._unsafeUnwrap()).toBe(1);
  });
  test('[V11] the age of a report is counted by the clock of the database, and is never below 0', async () => {
    if (!clockIsOurs()) return;
    (await stores.searchers.report(client, { searcher: 's', indexes: [] }))._unsafeUnwrap();
    const live = async (youngerThanMs: number) =>
      (await stores.searchers.live(client, youngerThanMs))._unsafeUnwrap().map(({ ageMs }) => ageMs);
    nowMs = 6_000;
    expect([await live(1_000), await live(1_001)]).toEqual([[], [1_000]]);
    expect((await stores.searchers.purge(client, 1_001, 9))._unsafeUnwrap()).toBe(0);
    nowMs = 4_000;
    expect(await live(1)).toEqual([0]);
    nowMs = 6_000;
    expect((await stores.searchers.purge(client, 1_000, 9))._unsafeUnwrap()).toBe(1);
  });
  test('[V16] the time of an erasure does not go back, and leaves one row by age', async () => {
    const erase = (version: number, writtenAtMs: number) =>
      accept({ ...write({ status: 'tombstone', place: { version }, writtenAtMs }), erases: true });
    const erasures = async () => (await stores.archive.erasures(client, { limit: 9 }))._unsafeUnwrap();
    const forget = async (beforeMs: number) =>
      (await stores.archive.forgetErasures(client, beforeMs, 9))._unsafeUnwrap();
    await erase(1, 20);
    await erase(2, 10);
    expect(await erasures()).toEqual([{ pk: 'a', atMs: 20 }]);
    await erase(3, 30);
    expect(await erasures()).toEqual([{ pk: 'a', atMs: 30 }]);
    expect([await forget(30), await forget(31), await forget(31)]).toEqual([0, 1, 0]);
  });
  test('[V1] a refusal of the same moment replaces the other and is purged once', async () => {
    const refusal: Refusal = {
      pk: 'a',
      epoch: 1,
      version: 1,
      timestampMs: 1,
      verdict: 'invalid',
      reason: 'x',
      atMs: 100,
    };
    for (const atMs of [90, 100, 100])
      (await stores.refusals.add(client, [{ ...refusal, version: atMs, atMs }]))._unsafeUnwrap();
    expect((await stores.refusals.of(client, 'a'))._unsafeUnwrap()).toMatchObject([{ version: 100 }]);
    const purge = async (beforeMs: number) =>
      (await stores.refusals.purge(client, beforeMs, 9))._unsafeUnwrap();
    expect([await purge(100), await purge(101), await purge(101)]).toEqual([0, 1, 0]);
  });
});
