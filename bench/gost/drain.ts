import { setTimeout as pause } from 'node:timers/promises';
import { okAsync } from 'neverthrow';
import type pg from 'pg';
import { gostCodecs } from '@doska/adapters-proto';
import { defaultGostSettings, OFFER_UPDATES, type OfferId, type SellerId } from '@doska/core/gost';
import { queuedRecords } from '@doska/core/gost/storage';
import { silentTelemetry, type LogPublisher, type LogRecord } from '@doska/core/kernel';
import type { Measured } from '../harness.ts';
import { gostOn } from './product.ts';
import { below, contentAt, publicationOf, SHARDS } from './samples.ts';

const ROWS = 100_000;
const BATCH = 1_000;
const EVERY_US = 20_000;

/** A queue that has been left alone for a while: `ROWS` views over the shards, a change every `EVERY_US` of them. */
const filled = async (pool: pg.Pool, shards = SHARDS): Promise<void> => {
  await pool.query('truncate gost.queue');
  const change = publicationOf('9999999999999' as OfferId, 'seller-999999' as SellerId, contentAt(1));
  const { value } = queuedRecords(change, gostCodecs)[0]!;
  await pool.query(
    `insert into gost.queue (shard, at_us, topic, key, id, value)
      select g % ${shards}, $1::bigint + g * ${EVERY_US}::bigint, $2, 'offer-' || g, '', $3 from generate_series(1, ${ROWS}) g`,
    [Date.now() * 1_000 - ROWS * EVERY_US, OFFER_UPDATES, Buffer.from(value)],
  );
  await pool.query('vacuum (analyze) gost.queue');
  await pool.query('checkpoint');
};
const left = async (pool: pg.Pool): Promise<number> =>
  Number((await pool.query<{ n: string }>('select count(*) as n from gost.queue')).rows[0]?.n);
const mustBeEmpty = async (pool: pg.Pool): Promise<void> => {
  if ((await left(pool)) !== 0) throw new Error(`${await left(pool)} records are left in the queue`);
};

/** The limit: the server reads and deletes by itself, a transaction a batch, and no client sees the records. */
const LOOP = `do $$
declare n bigint; bytes bigint;
begin
  for of_shard in 0..${SHARDS - 1} loop
    loop
      with gone as (
        delete from gost.queue q using (
          select shard, at_us, topic, key, id from gost.queue where shard = of_shard
          order by at_us, topic, key, id limit ${BATCH}) k
        where q.shard = k.shard and q.at_us = k.at_us and q.topic = k.topic and q.key = k.key and q.id = k.id
        returning q.value)
      select count(*), sum(length(value)) into n, bytes from gone;
      commit;
      exit when n = 0;
    end loop;
  end loop;
end $$`;
export const drainByServer = async (pool: pg.Pool): Promise<Measured> => {
  await filled(pool);
  const startedMs = performance.now();
  await pool.query(LOOP);
  const seconds = (performance.now() - startedMs) / 1_000;
  await mustBeEmpty(pool);
  return { value: ROWS / seconds };
};

/** The export of all shards in one process, as the scheduler runs it, to a log that keeps nothing. */
const exporting = (
  pool: pg.Pool,
  onPublish: (records: readonly LogRecord[]) => void,
): { readonly idle: () => boolean; readonly stop: () => Promise<void> } => {
  const log: LogPublisher = {
    promises: { fences: false, joinsTransactions: false },
    publish: (records) => {
      onPublish(records);
      return okAsync(undefined);
    },
  };
  const empty = new Set<string>();
  // The gauge of the oldest record is 0 when a shard is empty.
  const gauge = {
    set: (value: number | (() => number), labels?: Readonly<Record<string, string>>) => {
      const seconds = typeof value === 'number' ? value : value();
      if (seconds === 0) empty.add(labels!['shard']!);
      else empty.delete(labels!['shard']!);
    },
    remove: () => undefined,
  };
  const telemetry = {
    logger: silentTelemetry.logger,
    metrics: { ...silentTelemetry.metrics, gauge: () => gauge },
  };
  const settings = { export: { ...defaultGostSettings.export, batch: BATCH, idleMs: 5 } };
  const work = gostOn(pool, settings, { log, telemetry }).gost.workers.exportShard;
  const leases = Array.from({ length: SHARDS }, () => new AbortController());
  const running = leases.map(({ signal }, shard) =>
    work({ set: 'gost-export', shard, token: 1, isHeld: () => true }, signal, signal),
  );
  return {
    idle: () => empty.size === SHARDS,
    stop: async () => {
      for (const lease of leases) lease.abort('handover');
      await Promise.all(running);
    },
  };
};

const drainFilled = async (pool: pg.Pool): Promise<number> => {
  let published = 0;
  const startedMs = performance.now();
  const worker = exporting(pool, (records) => {
    published += records.length;
  });
  while (!worker.idle()) await pause(2);
  const endedMs = performance.now();
  await worker.stop();
  await mustBeEmpty(pool);
  if (published !== ROWS) throw new Error(`${ROWS} records were queued, ${published} were published`);
  return ROWS / ((endedMs - startedMs) / 1_000);
};
export const drain = async (pool: pg.Pool): Promise<Measured> => {
  await filled(pool);
  return { value: await drainFilled(pool) };
};

/** One shard has it all. */
export const drainOneShard = async (pool: pg.Pool): Promise<Measured> => {
  await filled(pool, 1);
  return { value: await drainFilled(pool) };
};
/** The same while another session holds an older snapshot, a backup for example: what is deleted stays in the way of every read. */
export const drainUnderSnapshot = async (pool: pg.Pool): Promise<Measured> => {
  await filled(pool, 1);
  const holder = await pool.connect();
  try {
    await holder.query('begin isolation level repeatable read');
    await holder.query('select count(*) from gost.queue');
    return { value: await drainFilled(pool) };
  } finally {
    await holder.query('rollback');
    holder.release();
  }
};

const PRODUCERS = 8;
const PRODUCING_MS = 1_500;
/** Producers whose commits come late by chance, so that records appear behind what was read: none may be lost. */
export const drainLate = async (pool: pg.Pool): Promise<Measured> => {
  await pool.query('truncate gost.queue');
  const seen = new Map<string, number>();
  const worker = exporting(pool, (records) => {
    for (const { key } of records) seen.set(key, (seen.get(key) ?? 0) + 1);
  });
  const untilMs = performance.now() + PRODUCING_MS;
  const committed: string[] = [];
  const producer = async (p: number): Promise<void> => {
    const client = await pool.connect();
    for (let n = 0; performance.now() < untilMs; n++) {
      await client.query('begin');
      const keys = Array.from({ length: 20 }, (_, i) => `late-${p}-${n}-${i}`);
      await client.query(
        `insert into gost.queue (shard, at_us, topic, key, id, value) select $1::int, $2::bigint, '${OFFER_UPDATES}', k, '', '' from unnest($3::text[]) k`,
        [p % SHARDS, Date.now() * 1_000, keys],
      );
      await pause(below(20));
      await client.query('commit');
      committed.push(...keys);
    }
    client.release();
  };
  await Promise.all(Array.from({ length: PRODUCERS }, (_, p) => producer(p)));
  const patience = performance.now() + 30_000;
  while ((await left(pool)) > 0 && performance.now() < patience) await pause(20);
  await worker.stop();
  const lost = committed.filter((key) => !seen.has(key)).length;
  const twice = [...seen.values()].filter((times) => times > 1).length;
  if (lost + twice > 0)
    throw new Error(`of ${committed.length} late records ${lost} were lost, ${twice} came twice`);
  await mustBeEmpty(pool);
  return { value: committed.length / (PRODUCING_MS / 1_000), plain: { drain_lost: lost } };
};
