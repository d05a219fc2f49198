import type pg from 'pg';
import type { PgMessageLog } from '@doska/adapters-pg';
import type { Measured } from '../harness.ts';
import { newTopic, publishUntil, RUN_SECONDS } from './load.ts';

/** Only a benchmark may do this: its topics are its own, and the next run has new ones. */
export const emptyLog = async (pool: pg.Pool): Promise<void> => {
  await pool.query('truncate log_batch');
  await pool.query('checkpoint');
};

export const publishFor = async (
  pool: pg.Pool,
  log: PgMessageLog,
  shape: { readonly callers: number; readonly batch: number },
): Promise<Measured> => {
  await emptyLog(pool);
  const topic = await newTopic(log);
  const { records, seconds } = await publishUntil(log, topic, shape, (_n, passed) => passed >= RUN_SECONDS);
  const { rows } = await pool.query<{ stored: string }>(
    'select sum(b.n) as stored from log_batch b join log_topic t on t.id = b.topic where t.name = $1',
    [topic],
  );
  if (Number(rows[0]?.stored) !== records)
    throw new Error(`${records} records were acknowledged, ${rows[0]?.stored} are stored`);
  return { value: records / seconds };
};

/** The same while another session holds a snapshot: dead row versions would show here. */
export const publishUnderSnapshot = async (pool: pg.Pool, log: PgMessageLog): Promise<Measured> => {
  const holder = await pool.connect();
  try {
    await emptyLog(pool);
    await holder.query('begin isolation level repeatable read');
    await holder.query('select count(*) from log_topic');
    const topic = await newTopic(log);
    const { records, seconds } = await publishUntil(
      log,
      topic,
      { callers: 64, batch: 1 },
      (_n, passed) => passed >= RUN_SECONDS,
    );
    return { value: records / seconds };
  } finally {
    await holder.query('rollback');
    holder.release();
  }
};
