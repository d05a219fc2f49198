import { err, ok } from 'neverthrow';
import type pg from 'pg';
import { type OfferId } from '@doska/core/gost';
import { ROWS_MAX, TIMERS, type ExportQueue, type Timers } from '@doska/core/gost/storage';
import { guard } from '../driver/guard.ts';
import { arraysOf, Frame, unnestOf } from '../driver/row-set.ts';
import { QUEUE_KEYS } from './sql-functions.ts';

const SETTLE = `with settled as (insert into gost.setting (shards) values ($1) on conflict do nothing returning shards)
  select shards from settled union all select shards from gost.setting limit 1`;
/* Not a prepared statement: a plan that was made while the queue was empty would scan the whole queue when it is full. */
const READ = `select at_us, topic, key, id, value from gost.queue where shard = $1 order by at_us, topic, key, id limit $2`;
/* Exactly these keys. A range would also delete records that were not read, because they were committed late. */
const DELETE = `delete from gost.queue q using ${unnestOf(QUEUE_KEYS, 'k')}
    where q.shard = k.shard and q.at_us = k.at_us and q.topic = k.topic and q.key = k.key and q.id = k.id`;
const PARK = `with gone as (${DELETE} returning q.shard, q.at_us, q.topic, q.key, q.id, q.value)
  insert into gost.parked (shard, at_us, topic, key, id, value, reason)
  select shard, at_us, topic, key, id, value, $REASON from gone on conflict do nothing`;
const PARKED = `select at_us, topic, key, id, length(value) as bytes, reason from gost.parked
  where shard = $1 and ($3::text is null or key = $3) order by at_us, topic, key, id limit $2`;
const UNPARK = `with gone as (delete from gost.parked where shard = $1 and at_us = $2 and topic = $3 and key = $4 and id = $5
    returning shard, at_us, topic, key, id, value)
  insert into gost.queue (shard, at_us, topic, key, id, value)
  select shard, at_us, topic, key, id, value from gone on conflict do nothing`;
const DUE = `select at_us, offer_id from gost.timer where what = $1 and shard = $2 and at_us <= $3
  order by at_us, offer_id limit $4`;
/** The most records of one read: some megabytes. */
const READ_MAX = 10_000;
type QueueRow = {
  readonly at_us: string;
  readonly topic: string;
  readonly key: string;
  readonly id: string;
  readonly value: Buffer;
};

type ParkedRow = Omit<QueueRow, 'value'> & { readonly bytes: number; readonly reason: string };

export const pgExportQueue = (pool: pg.Pool): ExportQueue => ({
  settleShards: (configured) =>
    guard('gost.settleShards', async () => {
      const settle = () => pool.query<{ shards: number }>(SETTLE, [configured]);
      // A row that another process committed after our snapshot stops our insert, but this statement does not see it. The second one does.
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
      const rows = keys.map(({ shard, atUs, topic, key, id }) => ({ shard, at_us: atUs, topic, key, id }));
      await pool.query(DELETE, [...arraysOf(QUEUE_KEYS, rows, new Frame())]);
    }),
  park: (records, reason) =>
    guard('gost.queue.park', async () => {
      if (records.length === 0) return;
      const rows = records.map(({ shard, atUs, topic, key, id }) => ({ shard, at_us: atUs, topic, key, id }));
      const values = [...arraysOf(QUEUE_KEYS, rows, new Frame())];
      await pool.query(PARK.replace('$REASON', `$${values.length + 1}::text`), [...values, reason]);
    }),
  parked: (shard, limit, key) =>
    guard('gost.queue.parked', async () => {
      const { rows } = await pool.query<ParkedRow>(PARKED, [shard, Math.min(limit, READ_MAX), key ?? null]);
      return rows.map(({ at_us, ...same }) => ({ shard, atUs: Number(at_us), ...same }));
    }),
  unpark: ({ shard, atUs, topic, key, id }) =>
    guard('gost.queue.unpark', async () => {
      const { rowCount } = await pool.query(UNPARK, [shard, atUs, topic, key, id]);
      return rowCount === 1;
    }),
});

export const pgTimers = (pool: pg.Pool): Timers => ({
  due: (what, shard, untilUs, limit) =>
    guard('gost.timers.due', async () => {
      const { rows } = await pool.query<{ at_us: string; offer_id: OfferId }>(DUE, [
        TIMERS[what],
        shard,
        untilUs,
        Math.min(limit, ROWS_MAX),
      ]);
      return rows.map(({ at_us, offer_id }) => ({ what, shard, atUs: Number(at_us), offerId: offer_id }));
    }),
});
