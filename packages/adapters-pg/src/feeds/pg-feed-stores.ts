import {
  STORE_ROWS_MAX,
  type FeedCleanup,
  type FeedQueues,
  type FeedStores,
  type FeedTaskId,
  type FileOwners,
  type LoadKey,
  type PhotoErrors,
} from '@doska/core/feeds';
import type { FeedKey } from '@doska/core/gost';
import type { BlobHash } from '@doska/core/kernel';
import { ok } from 'neverthrow';
import type pg from 'pg';
import { guard } from '../driver/guard.ts';
import { inTransaction } from '../driver/transaction.ts';
import { CONTEXT, keyOf, storable, type KeyColumns } from './feed-rows.ts';
import { pgFeedStore } from './pg-feed-store.ts';

const atMost = (limit: number): number => Math.min(limit, STORE_ROWS_MAX);

const DUE_TASKS = `select seller_id, namespace from feeds.task_queue where shard = $1 and next_attempt_at <= $2
  group by seller_id, namespace order by min(next_attempt_at) limit $3`;
const DUE_LINKS = `select seller_id, namespace from feeds.feed_loader_task where shard = $1 and next_attempt_at <= $2
  order by last_fetched_at nulls first limit $3`;
const STALE_LOCKS = `select seller_id, namespace from feeds.feed_locks
  where context = $1 and shard = $2 and holder is not null and acquired <= $3 order by acquired limit $4`;
const UNANSWERED = `select distinct seller_id, namespace from feeds.tasks
  where shard = $1 and sent_at is not null and sent_at <= $2 limit $3`;

const pgFeedQueues = (pool: pg.Pool): FeedQueues => {
  const keys = (what: string, text: string, values: readonly unknown[]) =>
    guard(what, async () => (await pool.query<KeyColumns>(text, [...values])).rows.map(keyOf));
  return {
    dueTasks: (shard, nowMs, limit) => keys('feeds.dueTasks', DUE_TASKS, [shard, nowMs, atMost(limit)]),
    dueLinks: (shard, nowMs, limit) => keys('feeds.dueLinks', DUE_LINKS, [shard, nowMs, atMost(limit)]),
    staleLocks: (context, shard, beforeMs, limit) =>
      keys('feeds.staleLocks', STALE_LOCKS, [CONTEXT[context], shard, beforeMs, atMost(limit)]),
    unanswered: (shard, beforeMs, limit) =>
      keys('feeds.unanswered', UNANSWERED, [shard, beforeMs, atMost(limit)]),
  };
};

const ANNOUNCE = 'insert into feeds.file_owners (id, hash, announced_at) values ($1, $2, $3)';
const ANNOUNCED = `select id, hash, announced_at from feeds.file_owners where announced_at < $1
  order by announced_at limit $2`;
const IS_HOLDING = `select exists (select from feeds.file_owners where id = $1 and not condemned)
  or exists (select from feeds.tasks where blob_owner = $1) as holding`;

const pgFileOwners = (pool: pg.Pool): FileOwners => {
  const run = (what: string, text: string, values: readonly unknown[]) =>
    guard(what, async () => void (await pool.query(text, [...values])));
  return {
    announce: ({ id, hash, atMs }) => run('feeds.announce', ANNOUNCE, [id, hash, atMs]),
    announcedBefore: (atMs, limit) =>
      guard('feeds.announced', async () => {
        const { rows } = await pool.query<{ id: string; hash: string; announced_at: string }>(ANNOUNCED, [
          atMs,
          atMost(limit),
        ]);
        return rows.map(({ id, hash, announced_at }) => ({
          id,
          hash: hash as BlobHash,
          atMs: Number(announced_at),
        }));
      }),
    condemn: (id) =>
      run('feeds.condemn', 'update feeds.file_owners set condemned = true where id = $1', [id]),
    drop: (id) => run('feeds.dropOwner', 'delete from feeds.file_owners where id = $1', [id]),
    isHolding: (id) =>
      guard(
        'feeds.isHolding',
        async () => (await pool.query<{ holding: boolean }>(IS_HOLDING, [id])).rows[0]!.holding,
      ),
    loadsOf: (id) =>
      guard('feeds.loadsOf', async () => {
        const text = 'select count(*) as loads from feeds.tasks where blob_owner = $1';
        return Number((await pool.query<{ loads: string }>(text, [id])).rows[0]!.loads);
      }),
  };
};

const OLD_TASKS = `select o.seller_id, o.namespace, o.task_id from feeds.old_tasks o
  left join feeds.tasks t using (seller_id, namespace, task_id)
  where t.status is null or t.status <> 0 order by o.seller_id, o.namespace, o.task_id limit $1`;
const OF_LOAD = 'seller_id = $1 and namespace = $2 and task_id = $3';
const DELETE_ERRORS = `delete from feeds.offer_errors where ctid = any(array(
  select ctid from feeds.offer_errors where ${OF_LOAD} limit $4))`;
const MARK_ALL = `insert into feeds.old_tasks (seller_id, namespace, task_id)
  select seller_id, namespace, task_id from feeds.tasks where seller_id = $1 and namespace = $2 on conflict do nothing`;
const DELETE_OUTDATED = `delete from feeds.offer_errors where ctid = any(array(
  select e.ctid from feeds.feed_statistics s join feeds.offer_errors e on e.seller_id = s.seller_id
    and e.namespace = s.namespace and e.task_id = s.task_id and e.generation < s.generation limit $1))`;

const pgFeedCleanup = (pool: pg.Pool): FeedCleanup => {
  const nameOf = ({ seller, namespace, task }: LoadKey): unknown[] => [seller, namespace, task];
  return {
    old: (limit) =>
      guard('feeds.old', async () => {
        const { rows } = await pool.query<KeyColumns & { task_id: string }>(OLD_TASKS, [atMost(limit)]);
        return rows.map((row) => ({ ...keyOf(row), task: Number(row.task_id) as FeedTaskId }));
      }),
    deleteDetails: (key, limit) =>
      inTransaction(pool, 'feeds.deleteDetails', async (tx) => {
        const name = nameOf(key);
        const { rowCount } = await tx.query(DELETE_ERRORS, [...name, atMost(limit)]);
        if ((rowCount ?? 0) >= atMost(limit)) return ok(false);
        for (const table of ['feed_statistics', 'offer_batches', 'task_queue'])
          await tx.query(`delete from feeds.${table} where ${OF_LOAD}`, name);
        return ok(true);
      }),
    deleteLoad: (key) =>
      inTransaction(pool, 'feeds.deleteLoad', async (tx) => {
        for (const table of ['tasks', 'old_tasks'])
          await tx.query(`delete from feeds.${table} where ${OF_LOAD}`, nameOf(key));
        return ok(undefined);
      }),
    markAll: ({ seller, namespace }) =>
      guard('feeds.markAll', async () => void (await pool.query(MARK_ALL, [seller, namespace]))),
    deleteOutdatedErrors: (limit) =>
      guard(
        'feeds.deleteOutdated',
        async () => (await pool.query(DELETE_OUTDATED, [atMost(limit)])).rowCount ?? 0,
      ),
  };
};

const DELETE_PHOTOS =
  'delete from feeds.photo_errors where seller_id = $1 and namespace = $2 and offer_id = $3';
const PHOTOS = `insert into feeds.photo_errors (seller_id, namespace, offer_id, external_id, url, reason)
  select distinct on (u.url) $1, $2, $3, $4, u.url, u.reason from unnest($5::text[], $6::text[]) u(url, reason)`;
const LIST_PHOTOS = `select offer_id, external_id, url, reason from feeds.photo_errors
  where seller_id = $1 and namespace = $2 and (offer_id, url) > ($3, $4) order by offer_id, url limit $5`;

const pgPhotoErrors = (pool: pg.Pool): PhotoErrors => ({
  replace: ({ seller, namespace }: FeedKey, { offerId, externalId }, errors) =>
    inTransaction(pool, 'feeds.photoErrors', async (tx) => {
      await tx.query(DELETE_PHOTOS, [seller, namespace, offerId]);
      if (errors.length > 0)
        await tx.query(PHOTOS, [
          seller,
          namespace,
          offerId,
          storable(externalId),
          errors.map(({ url }) => storable(url)),
          errors.map(({ reason }) => storable(reason)),
        ]);
      return ok(undefined);
    }),
  list: ({ seller, namespace }, { after, limit }) =>
    guard('feeds.listPhotoErrors', async () => {
      const values = [seller, namespace, after?.offerId ?? '', after?.url ?? '', atMost(limit)];
      const { rows } = await pool.query<{
        offer_id: string;
        external_id: string;
        url: string;
        reason: string;
      }>(LIST_PHOTOS, values);
      return rows.map((row) => ({
        offerId: row.offer_id,
        externalId: row.external_id,
        url: row.url,
        reason: row.reason,
      }));
    }),
  deleteAll: ({ seller, namespace }) =>
    guard('feeds.deletePhotoErrors', async () => {
      const text = 'delete from feeds.photo_errors where seller_id = $1 and namespace = $2';
      await pool.query(text, [seller, namespace]);
    }),
});

/** Every store of the feeds on one database. */
export const pgFeedStores = (pool: pg.Pool): FeedStores => ({
  feeds: pgFeedStore(pool),
  queues: pgFeedQueues(pool),
  owners: pgFileOwners(pool),
  cleanup: pgFeedCleanup(pool),
  photoErrors: pgPhotoErrors(pool),
});
