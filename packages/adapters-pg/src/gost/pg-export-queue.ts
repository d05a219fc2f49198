import { err, ok } from 'neverthrow';
import type pg from 'pg';
import { ROWS_MAX, TIMERS, type ExportQueue, type OfferId, type Timers } from '@doska/core/gost';
import { Columns } from '../driver/columns.ts';
import { guard } from '../driver/guard.ts';

const SETTLE = `with settled as (insert into gost.setting (shards) values ($1) on conflict do nothing returning shards)
  select shards from settled union all select shards from gost.setting limit 1`;
/* Without names: a queue that was empty when a plan was kept would be scanned for ever when it is full. */
const READ = `select at_us, topic, key, id, value from gost.queue where shard = $1 order by at_us, topic, key, id limit $2`;
/* Exactly these: what a range would take along was never read, because its commit came late. */
const DELETE = `delete from gost.queue q using unnest($1::int[], $2::bigint[], $3::text[], $4::text[], $5::text[]) k(shard, at, topic, key, id)
    where q.shard = k.shard and q.at_us = k.at and q.topic = k.topic and q.key = k.key and q.id = k.id`;
const DUE = `select at_us, offer_id from gost.timer where what = $1 and shard = $2 and at_us <= $3
  order by at_us, offer_id limit $4`;
/** Records in one answer: some megabytes. */
const READ_MAX = 10_000;
type QueueRow = {
  readonly at_us: string;
  readonly topic: string;
  readonly key: string;
  readonly id: string;
  readonly value: Buffer;
};

export const pgExportQueue = (pool: pg.Pool): ExportQueue => ({
  settleShards: (configured) =>
    guard('gost.settleShards', async () => {
      const settle = () => pool.query<{ shards: number }>(SETTLE, [configured]);
      // Somebody else's row that was committed after our snapshot is neither ours nor seen: the second look sees it.
      const [row] = (await settle()).rows;
      return row?.shards ?? (await settle()).rows[0]?.shards ?? configured;
    }).andThen((shards) =>
      shards === configured
        ? ok(undefined)
        : err({ kind: 'ShardsMismatch' as const, set: 'gost-export', shards, configured }),
    ),
  read: (shard, limit) =>
    guard('gost.queue.read', async () => {
      const { rows } = await pool.query<QueueRow>(READ, [shard, Math.min(limit, READ_MAX)]);
      return rows.map(({ at_us, topic, key, id, value }) => ({
        shard,
        atUs: Number(at_us),
        topic,
        key,
        id,
        value,
      }));
    }),
  delete: (keys) =>
    guard('gost.queue.delete', async () => {
      if (keys.length === 0) return;
      const columns = new Columns(5);
      for (const { shard, atUs, topic, key, id } of keys) columns.add(shard, atUs, topic, key, id);
      await pool.query(DELETE, [...columns.parameters]);
    }),
});

export const pgTimers = (pool: pg.Pool): Timers => ({
  due: (what, shard, untilUs, limit) =>
    guard('gost.timers.due', async () => {
      const { rows } = await pool.query<{ at_us: string; offer_id: OfferId }>(DUE, [
        ...[TIMERS[what], shard, untilUs, Math.min(limit, ROWS_MAX)],
      ]);
      return rows.map(({ at_us, offer_id }) => ({ what, shard, atUs: Number(at_us), offerId: offer_id }));
    }),
});
