import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { PgMessageLog } from '@doska/adapters-pg';
import { deadLetterCodec, flowCodecs } from '@doska/adapters-proto';
import type { FeedBatch, SellerId } from '@doska/core/gost';
import { silentTelemetry, withDeadLetters } from '@doska/core/kernel';
import type { Measured } from '../harness.ts';
import type { BenchStores } from './product.ts';
import { clock, nextContent } from './samples.ts';
import { settle } from './stock.ts';

const SELLERS = 4;
const BATCHES = 5;
const BATCH = 500;
const OFFERS = SELLERS * BATCHES * BATCH;
const NAMESPACE = 'main';

const batchOf = (seller: SellerId, task: number, batch: number): FeedBatch => ({
  kind: 'batch',
  seller,
  namespace: NAMESPACE,
  task,
  generation: task,
  batch,
  entries: Array.from({ length: BATCH }, (_, i) => ({
    ordinal: batch * BATCH + i,
    externalId: `ext-${batch * BATCH + i}`,
    line: i,
    errors: [],
    content: nextContent(),
    geo: undefined,
  })),
});

/** Every batch of a load, sent before a consumer listens; then consumed as the scheduler does. Offers a second. */
const loaded = async (
  { pool, gost }: BenchStores,
  log: PgMessageLog,
  sellers: readonly SellerId[],
  task: number,
): Promise<number> => {
  const topic = `feed-offers-${randomUUID()}`;
  const config = { name: topic, partitions: SELLERS, retentionMs: 86_400_000, recordBytesMax: 4 << 20 };
  (await log.ensureTopics([config]))._unsafeUnwrap();
  for (const [partition, seller] of sellers.entries())
    for (let batch = 0; batch < BATCHES; batch++) {
      const value = flowCodecs.feedOffers.encode(batchOf(seller, task, batch));
      (await log.publish([{ topic, key: seller, value, partition }]))._unsafeUnwrap();
    }
  await settle(pool);
  const messages = SELLERS * BATCHES;
  const startedAt = { ms: 0 };
  /** By place: a slow consumer may lose its partition and hear a record again. */
  const done = new Set<string>();
  let finished = (): void => {};
  const all = new Promise<void>((resolve) => (finished = resolve));
  const { logger } = silentTelemetry;
  const handle = withDeadLetters({ log, codec: deadLetterCodec, clock, logger }, async (...record) => {
    startedAt.ms ||= performance.now();
    const outcome = await gost.workers.consumeFeedMessages(...record);
    if (outcome.kind !== 'done') throw new Error(`a batch was not done: ${JSON.stringify(outcome)}`);
    const { partition, offset } = record[0].position;
    if (done.add(`${partition}/${offset}`).size === messages) finished();
    return outcome;
  });
  const subscription = log.subscribe({ group: 'bench', topic, handler: handle });
  await all;
  const seconds = (performance.now() - startedAt.ms) / 1_000;
  await subscription.stop();
  return OFFERS / seconds;
};

/** Each offer must be told once a load, besides one answer a batch. */
const queued = async (pool: pg.Pool): Promise<void> => {
  const { rows } = await pool.query<{ n: string }>('select count(*) as n from gost.queue');
  const expected = OFFERS + SELLERS * BATCHES;
  if (Number(rows[0]?.n) !== expected) throw new Error(`${expected} records expected, ${rows[0]?.n} queued`);
  await pool.query('truncate gost.queue');
};

/** A first load creates all offers; the second, which is the measured one, changes them all. */
export const autoload = async (on: BenchStores, log: PgMessageLog): Promise<Measured> => {
  const { pool } = on;
  await pool.query('truncate gost.queue');
  const run = randomUUID().slice(0, 8);
  const sellers = Array.from({ length: SELLERS }, (_, n) => `feed-${run}-${n}` as SellerId);
  const created = await loaded(on, log, sellers, 1);
  await queued(pool);
  const changed = await loaded(on, log, sellers, 2);
  await queued(pool);
  return { value: changed, figures: { created } };
};
