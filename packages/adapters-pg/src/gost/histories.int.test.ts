import { afterAll, beforeAll, expect, test } from 'vitest';
import { gostCodecs } from '@doska/adapters-proto';
import {
  defaultGostSettings,
  OFFER_UPDATES,
  type GostStores,
  type OfferId,
  type SellerId,
} from '@doska/core/gost';
import { brokenLaws, openTestGost, liveRandomly, type Told } from '@doska/core/gost/testing';
import { makeShardLeases, silentTelemetry, sleep, type LogRecord, type MessageLog } from '@doska/core/kernel';
import { eventually, realClock, realIds, realRandom, seededRandom } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pgLeaseStore } from '../leases/pg-lease-store.ts';
import { pgMessageLog, type PgMessageLog } from '../log/pg-message-log.ts';
import { pgGostStores } from './pg-gost-stores.ts';

const SELLERS = 6;
const SHARDS = 3;
const PARTITIONS = 2;
const { logger } = silentTelemetry;

let db: FreshDatabase;
let log: PgMessageLog;
beforeAll(async () => {
  db = await freshDatabase({ max: 20 });
  const system = { clock: realClock, ids: realIds, random: realRandom, logger };
  log = pgMessageLog({ url: db.url, pool: db.pool, ...system });
  const topic = { name: OFFER_UPDATES, partitions: PARTITIONS, retentionMs: 1e9, recordBytesMax: 1e6 };
  (await log.ensureTopics([topic]))._unsafeUnwrap();
});
afterAll(async () => {
  await log.close();
  await db.drop();
});

const told = async (): Promise<Told> => {
  const seen = new Map<OfferId, number[]>();
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const reader = (await log.read(OFFER_UPDATES, partition, 'earliest'))._unsafeUnwrap();
    for (;;) {
      const records = (await reader.next({ recordsMax: 500 }))._unsafeUnwrap();
      if (records.length === 0) break;
      for (const { value } of records) {
        const { id, version } = gostCodecs.view.decode(value)._unsafeUnwrap();
        seen.set(id, [...(seen.get(id) ?? []), version]);
      }
    }
    await reader.close();
  }
  return seen;
};
/** Collects the keys of every call that publishes two changes of one offer together. */
const watched = (right: MessageLog, twice: string[]): MessageLog => ({
  ...right,
  publish: (records: readonly LogRecord[], options) => {
    const keys = records.map(({ key }) => key);
    twice.push(...keys.filter((key, i) => keys.indexOf(key) < i));
    return right.publish(records, options);
  },
});

test('[G1] [G2] [G5] [G6] [G11] [G13] [G16] after random commands of sellers in two processes, lists, counts, totals and the topic are as decided', async () => {
  const twice: string[] = [];
  const settings = { shards: SHARDS, lifetimeUs: 300_000 };
  const processOf = (): GostStores => pgGostStores({ pool: db.pool, codecs: gostCodecs, clock: realClock });
  const processes = [processOf(), processOf()];
  const gostOf = (stores: GostStores, seed: number) =>
    openTestGost({ stores, clock: realClock, random: seededRandom(seed), newName: realIds.next, settings });
  const stop = new AbortController();
  const exporters = processes.map((stores) =>
    makeShardLeases({ store: pgLeaseStore(db.pool), clock: realClock, ids: realIds, logger }).hold({
      set: 'gost-export',
      shards: SHARDS,
      work: openTestGost({
        stores,
        log: watched(log, twice),
        clock: realClock,
        random: realRandom,
        newName: realIds.next,
        settings: { ...settings, export: { ...defaultGostSettings.export, batch: 30, idleMs: 5 } },
      }).workers.exportShard,
    }),
  );
  const expiring = (async () => {
    const gost = gostOf(processes[0]!, 99);
    while (!stop.signal.aborted) {
      for (let shard = 0; shard < SHARDS; shard++) await gost.expireDue(shard, 50);
      await sleep(realClock, 20, stop.signal);
    }
  })();

  const sellers = Array.from({ length: SELLERS }, (_, n) => `life-${n}` as SellerId);
  await Promise.all(
    sellers.map((seller, n) =>
      liveRandomly({
        gost: gostOf(processes[n % 2]!, n),
        seller,
        offers: 6,
        commands: 120,
        random: seededRandom(1_000 + n),
        clock: realClock,
      }),
    ),
  );
  stop.abort();
  await expiring;
  await eventually(async () => {
    const { rows } = await db.pool.query<{ n: string }>('select count(*) as n from gost.queue');
    expect(rows[0]?.n).toBe('0');
  });
  await Promise.all(exporters.map((exporter) => exporter.stop()));
  const topic = await told();
  for (const seller of sellers) expect(await brokenLaws(processes[0]!, seller, topic), seller).toEqual([]);
  expect(topic.size).toBe(SELLERS * 6);
  expect(twice).toEqual([]);
});
