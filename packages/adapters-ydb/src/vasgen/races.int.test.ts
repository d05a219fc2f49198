import { afterAll, beforeAll, expect, test } from 'vitest';
import { realClock, seededRandom } from '@doska/core/kernel/testing';
import { sleep } from '@doska/core/kernel';
import {
  compareFreshness,
  documentShard,
  QUEUES,
  type FailedElement,
  type QueueElement,
  type QueueName,
  type RegistryWrite,
  type VasgenStores,
} from '@doska/core/vasgen';
import { sampleClient, sampleWrite } from '@doska/core/vasgen/testing';
import type { YdbClient } from '../driver/client.ts';
import { backendName, connectTo, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { planHiddenFaults, planLostAnswers, quickRetries } from '../testing/plan-faults.ts';
import { repeatUnknown } from '../testing/repeat-unknown.ts';
import { ydbVasgenStores } from './ydb-vasgen-stores.ts';

const SHARDS = 4;
const CALLS = process.env['DOSKA_TEST_LONG'] ? 100 : 10;
const client = sampleClient();
const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
let db: OpenYdb;
let clients: readonly YdbClient[];
let processes: readonly VasgenStores[];
beforeAll(async () => {
  db = await openYdb();
  const { client: first } = await openDirectory(db, { only: 'vasgen', retry: quickRetries });
  const directory = first.sdk.relativeDirectory;
  clients = [first, await connectTo(db.connectionString, { directory, retry: quickRetries })];
  processes = clients.map((one) => repeatUnknown(ydbVasgenStores(one)));
  (await processes[0]!.epochs.ensureClient(client, SHARDS))._unsafeUnwrap();
});
afterAll(async () => {
  db.standIn?.faults.clear();
  await Promise.all(clients.map((one) => one.close()));
  await db.close();
});

const PKS = Array.from({ length: 12 }, (_, n) => `p${n}`);
const all = Number.MAX_SAFE_INTEGER;
const timed = (pk: string, version: number): string => `${pk}/${version}`;

/** Sends documents in calls of several, as groups of a receiver are. The end of a document is made from its place. */
const sender = async (stores: VasgenStores, seed: number): Promise<readonly RegistryWrite[]> => {
  const random = seededRandom(seed);
  const sent: RegistryWrite[] = [];
  for (let n = 0; n < CALLS; n++) {
    const pks = PKS.filter(() => random.below(3) === 0);
    const writes = pks.map((pk) => {
      const version = random.below(CALLS * 4);
      const status = version % 5 === 0 ? ('tombstone' as const) : ('alive' as const);
      const expiresAtMs = status === 'alive' && version % 3 === 0 ? 5_000 + version : undefined;
      const lane = random.below(2) === 0 ? ('main' as const) : ('bulk' as const);
      const row = { pk, place: { version }, status, expiresAtMs, lane, writtenAtMs: 2_000 + version };
      return sampleWrite(row, { shard: documentShard(pk, SHARDS) });
    });
    (await stores.registry.accept(client, writes))._unsafeUnwrap();
    sent.push(...writes);
  }
  return sent;
};
/** Reads a queue to its end and moves the offset; puts some elements into `failed`. */
const indexer = async (
  stores: VasgenStores,
  queue: QueueName,
  shard: number,
  isOver: () => boolean,
): Promise<readonly QueueElement[]> => {
  const reader = { client, queue, shard, group: 'indexer' };
  const seen: QueueElement[] = [];
  for (let from: number | undefined, last = false; !last;) {
    last = isOver();
    const found = (await stores.queues.read(reader, from ?? 0, 3))._unsafeUnwrap();
    const elements = found.map(({ element }) => element);
    seen.push(...elements);
    const to = elements.at(-1)?.idx;
    if (to === undefined) {
      await sleep(realClock, 5);
      continue;
    }
    last = false;
    const failed = elements.slice(0, 1).map((element): FailedElement => ({
      ...element,
      failure: { queue, reason: 'as planned', attempts: 1, retryAtMs: 1 },
    }));
    (await stores.queues.advance(reader, { from, to, failed, parked: [] }))._unsafeUnwrap();
    from = to;
  }
  return seen;
};
const elementsOf = async (queue: QueueName, shard: number): Promise<readonly QueueElement[]> => {
  const found: QueueElement[] = [];
  for (;;) {
    const page = await processes[0]!.queues.read({ client, queue, shard }, found.at(-1)?.idx ?? 0, 1_000);
    const elements = page._unsafeUnwrap().map(({ element }) => element);
    found.push(...elements);
    if (elements.length === 0) return found;
  }
};

test(`[V2] [V3] [V5] [V6] [V7] two processes on ${backendName} race, calls are refused, answers are lost: rows, ttls and queues are as one order of the calls leaves them`, async () => {
  if (db.standIn) {
    planHiddenFaults(db.standIn, { random: seededRandom(5), times: 12, oneIn: 20 });
    planLostAnswers(db.standIn, { random: seededRandom(6), times: 6, oneIn: 20 });
  }
  let isOver = false;
  const reading = (['main', 'bulk'] as const).flatMap((queue) =>
    shards.map((shard, i) => indexer(processes[i % 2]!, queue, shard, () => isOver)),
  );
  const sent = (await Promise.all([1, 2, 3, 4].map((n) => sender(processes[n % 2]!, n)))).flat();
  isOver = true;
  const read = await Promise.all(reading);
  db.standIn?.faults.clear();

  const { registry, queues } = processes[1]!;
  const rows = (await registry.find(client, 1, PKS))._unsafeUnwrap();
  const newest = new Map<string, RegistryWrite['row']>();
  for (const { row } of sent) {
    const known = newest.get(row.pk);
    if (!known || compareFreshness(row.place, known.place) > 0) newest.set(row.pk, row);
  }
  expect(new Map(rows.map(({ pk, place, status }) => [pk, { place, status }]))).toEqual(
    new Map([...newest].map(([pk, { place, status }]) => [pk, { place, status }])),
  );

  const written = new Map<string, QueueName[]>();
  for (const queue of QUEUES) {
    const heads = (await queues.heads(client, queue))._unsafeUnwrap();
    for (const shard of shards) {
      const elements = await elementsOf(queue, shard);
      expect(elements.map(({ idx }) => idx)).toEqual(elements.map((_, i) => i + 1));
      expect(heads[shard]).toBe(elements.length);
      for (const { pk, version } of elements) {
        expect(documentShard(pk, SHARDS)).toBe(shard);
        if (queue !== 'failed')
          written.set(timed(pk, version), [...(written.get(timed(pk, version)) ?? []), queue]);
      }
      const at = (['main', 'bulk'] as const).findIndex((one) => one === queue);
      if (at >= 0) expect(read[at * SHARDS + shard]).toEqual(elements);
    }
  }
  // One element for each written place, and one more in `main` if a live document met it in `bulk`.
  for (const { pk, place } of rows) expect(written.has(timed(pk, place.version))).toBe(true);
  for (const queuesOfPlace of written.values())
    expect([['main'], ['bulk'], ['bulk', 'main'], ['main', 'bulk']]).toContainEqual(queuesOfPlace);
  const failed = (await queues.heads(client, 'failed'))._unsafeUnwrap().reduce((sum, n) => sum + n, 0);
  expect(failed).toBeGreaterThan(0);

  for (const shard of shards) {
    const mine = rows.filter(({ pk }) => documentShard(pk, SHARDS) === shard);
    const ending = mine.filter(({ expiresAtMs }) => expiresAtMs !== undefined).map(({ pk }) => pk);
    const expired = (await registry.expired(client, shard, all, 1_000))._unsafeUnwrap();
    expect(expired.map(({ pk }) => pk).sort()).toEqual(ending.sort());
    const tombstones = mine.filter(({ status }) => status === 'tombstone').length;
    expect((await registry.forgetTombstones(client, shard, all, 1_000))._unsafeUnwrap()).toBe(tombstones);
  }
});
