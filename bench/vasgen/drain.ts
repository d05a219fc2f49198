import { setTimeout as pause } from 'node:timers/promises';
import { vasgenCodecs } from '@doska/adapters-proto';
import type { LogRecord, MessageLog } from '@doska/core/kernel';
import { defaultVasgenSettings, indexTopic, type Vasgen } from '@doska/core/vasgen';
import type pg from 'pg';
import type { Measured } from '../harness.ts';
import { client, documentOf } from './product.ts';

export const DOCUMENTS = 20_000;
const BATCH = 500;
const SHARDS = defaultVasgenSettings.shards;
const topic = indexTopic(client);
let version = 0;

/** One write of every document. */
const written = async ({ useCases }: Vasgen): Promise<void> => {
  version++;
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const documents = Array.from({ length: BATCH }, (_, at) => documentOf(`offer-${from + at}`, version));
    (await useCases.receiveDocuments(client, documents, 'main'))._unsafeUnwrap();
  }
};
const lagOf = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ n: string | null }>(
    `select sum(h.idx - coalesce(o.idx, 0)) as n from vasgen.head h
      left join vasgen.queue_offset o on o.client = h.client and o.queue = h.queue and o.shard = h.shard
      where h.client = $1 and h.queue = 0`,
    [client],
  );
  return Number(rows[0]?.n ?? 0);
};
/** The indexers of all shards of `main` in this process. */
export const indexing = ({ workers }: Vasgen): { readonly stop: () => Promise<void> } => {
  const work = workers.indexShard(client, 'main');
  const over = new AbortController();
  const token = Date.now();
  const running = Array.from({ length: SHARDS }, (_, shard) =>
    work({ set: 'bench', shard, token, isHeld: () => true }, over.signal, over.signal),
  );
  return {
    stop: async () => {
      over.abort('stop');
      await Promise.all(running);
    },
  };
};

export const drain = async (pool: pg.Pool, vasgen: Vasgen): Promise<Measured> => {
  await pool.query('truncate vasgen.element, vasgen.head, vasgen.queue_offset');
  await written(vasgen);
  await pool.query('vacuum (analyze) vasgen.element');
  await pool.query('checkpoint');
  return { value: await drained(pool, vasgen) };
};
const drained = async (pool: pg.Pool, vasgen: Vasgen): Promise<number> => {
  const startedMs = performance.now();
  const worker = indexing(vasgen);
  while ((await lagOf(pool)) > 0) await pause(10);
  const seconds = (performance.now() - startedMs) / 1_000;
  await worker.stop();
  return DOCUMENTS / seconds;
};
/** The same while another session holds an older snapshot, a backup for example. */
export const drainUnderSnapshot = async (pool: pg.Pool, vasgen: Vasgen): Promise<Measured> => {
  const holder = await pool.connect();
  try {
    // Its transaction is idle for longer than the pool allows: that is what is measured.
    await holder.query('set idle_in_transaction_session_timeout = 0');
    await holder.query('begin isolation level repeatable read');
    await holder.query('select count(*) from vasgen.element');
    await written(vasgen);
    return { value: await drained(pool, vasgen) };
  } finally {
    await holder.query('rollback');
    holder.release(true);
  }
};
/** The limit: the same records are published, in the same batches, as many at a time. */
export const publishOnly = async (log: MessageLog): Promise<Measured> => {
  const records = Array.from({ length: DOCUMENTS }, (_, number): LogRecord => {
    const document = documentOf(`offer-${number}`, 1);
    const value = vasgenCodecs.indexed.encode({
      pk: document.pk,
      place: { epoch: 1, version: 1, timestampMs: document.composedAtMs, kind: 'document' },
      schema: 1,
      document,
    });
    return { topic, key: document.pk, value };
  });
  const batches = Array.from({ length: DOCUMENTS / BATCH }, (_, at) =>
    records.slice(at * BATCH, (at + 1) * BATCH),
  );
  const startedMs = performance.now();
  const publisher = async (): Promise<void> => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) (await log.publish(batch))._unsafeUnwrap();
  };
  await Promise.all(Array.from({ length: SHARDS }, publisher));
  return { value: DOCUMENTS / ((performance.now() - startedMs) / 1_000) };
};
