import { afterAll, beforeAll, expect, test } from 'vitest';
import { gostCodecs } from '@doska/adapters-proto';
import { OFFER_UPDATES, type GostStores, type OfferId, type SellerId } from '@doska/core/gost';
import { brokenLaws, openTestGost, liveRandomly, type Told } from '@doska/core/gost/testing';
import { sleep } from '@doska/core/kernel';
import { realClock, realIds, seededRandom } from '@doska/core/kernel/testing';
import type { YdbClient } from '../driver/client.ts';
import { backendName, connectTo, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { ydbGostStores } from './ydb-gost-stores.ts';

const SELLERS = 3;
const SHARDS = 3;
let db: OpenYdb;
let clients: readonly YdbClient[];
beforeAll(async () => {
  db = await openYdb();
  const { client } = await openDirectory(db);
  clients = [client, await connectTo(db.connectionString, { directory: client.sdk.relativeDirectory })];
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await db.close();
});

/** The records that wait in the queue, as an exporter would publish them; deletes nothing. */
const waiting = async ({ queue }: GostStores): Promise<Told> => {
  const seen = new Map<OfferId, number[]>();
  for (let shard = 0; shard < SHARDS; shard++) {
    const records = (await queue.read(shard, 1_000))._unsafeUnwrap();
    expect(records.length).toBeLessThan(1_000);
    for (const { value } of records.filter(({ topic }) => topic === OFFER_UPDATES)) {
      const { id, version } = gostCodecs.view.decode(value)._unsafeUnwrap();
      seen.set(id, [...(seen.get(id) ?? []), version]);
    }
  }
  return seen;
};

test(`[G1] [G2] [G6] [G11] [G13] [G16] after random commands of sellers in two processes on ${backendName}, lists, counts, totals and the queue are as decided`, async () => {
  const settings = { shards: SHARDS, lifetimeUs: 300_000 };
  const processes = clients.map((client): GostStores =>
    ydbGostStores({ client, codecs: gostCodecs, clock: realClock }),
  );
  const gostOf = (stores: GostStores, seed: number) =>
    openTestGost({ stores, clock: realClock, random: seededRandom(seed), newName: realIds.next, settings });
  const stop = new AbortController();
  const expiring = (async () => {
    const gost = gostOf(processes[0]!, 99);
    while (!stop.signal.aborted) {
      for (let shard = 0; shard < SHARDS; shard++) await gost.expireDue(shard, 50);
      await sleep(realClock, 20, stop.signal);
    }
  })();
  const sellers = Array.from({ length: SELLERS }, (_, n) => `life-${n}` as SellerId);
  try {
    await Promise.all(
      sellers.map((seller, n) =>
        liveRandomly({
          gost: gostOf(processes[n % 2]!, n),
          seller,
          offers: 5,
          commands: 60,
          random: seededRandom(1_000 + n),
          clock: realClock,
        }),
      ),
    );
  } finally {
    stop.abort();
    await expiring;
  }
  const told = await waiting(processes[1]!);
  for (const seller of sellers) expect(await brokenLaws(processes[1]!, seller, told), seller).toEqual([]);
  expect(told.size).toBe(SELLERS * 5);
});
