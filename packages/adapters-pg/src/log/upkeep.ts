import { type ResultAsync } from 'neverthrow';
import type pg from 'pg';
import type { Unavailable } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';

/** A group so far behind that retention will soon delete records that it has not read. */
export type GroupInDanger = {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly oldestUnreadAgeMs: number;
  readonly limitMs: number;
};
export type Pruned = { readonly batches: number; readonly inDanger: readonly GroupInDanger[] };
export type PruneOptions = {
  /** Records that a registered group has not read are kept at most this many times longer than the topic's retention. */
  readonly unreadFactor?: number;
  readonly chunk?: number;
  readonly signal?: AbortSignal;
};

/* Batches that are old and read by every group, or older than the limit. The newest batch stays: it has the next offset. */
const PRUNE = `delete from log_batch where (topic, part, last_off) in (
  select b.topic, b.part, b.last_off from log_batch b join log_topic t on t.id = b.topic
  where b.topic = $1 and b.part = $2 and b.ts < clock_timestamp() - t.retention_ms * interval '1 millisecond'
    and b.last_off < (select max(last_off) from log_batch where topic = $1 and part = $2)
    and (b.last_off < coalesce((select min(pos) from log_position where topic = $1 and part = $2), 9223372036854775807)
      or b.ts < clock_timestamp() - t.retention_ms * $3::float8 * interval '1 millisecond')
  order by b.last_off limit $4)`;
const DANGER = `select p.grp, t.name, p.part, t.retention_ms * $1::float8 as limit_ms,
    extract(epoch from clock_timestamp() - b.ts)::float8 * 1000 as age_ms
  from log_position p join log_topic t on t.id = p.topic cross join lateral (
    select ts from log_batch where topic = p.topic and part = p.part and last_off >= p.pos order by last_off limit 1) b
  where b.ts < clock_timestamp() - t.retention_ms * $1::float8 / 2 * interval '1 millisecond'`;

/** Deletes the records that retention allows, in small transactions that block no publisher, and returns the groups that will soon lose records. */
export const pruneLog = (
  pool: pg.Pool,
  { unreadFactor = 4, chunk = 500, signal }: PruneOptions = {},
): ResultAsync<Pruned, Unavailable> =>
  guard('log.prune', async () => {
    const danger = await pool.query<{
      grp: string;
      name: string;
      part: number;
      limit_ms: number;
      age_ms: number;
    }>(DANGER, [unreadFactor]);
    const partitions = await pool.query<{ id: number; part: number }>(
      'select id, generate_series(0, partitions - 1) as part from log_topic order by id, part',
    );
    let batches = 0;
    for (const { id, part } of partitions.rows) {
      for (let removed = chunk; removed === chunk && !signal?.aborted;) {
        removed = (await pool.query(PRUNE, [id, part, unreadFactor, chunk])).rowCount ?? 0;
        batches += removed;
      }
    }
    const inDanger = danger.rows.map(({ grp, name, part, limit_ms, age_ms }) => ({
      group: grp,
      topic: name,
      partition: part,
      oldestUnreadAgeMs: Math.round(age_ms),
      limitMs: limit_ms,
    }));
    return { batches, inDanger };
  });
