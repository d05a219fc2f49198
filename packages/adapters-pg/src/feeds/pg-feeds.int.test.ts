import { feedStoresContract } from '@doska/core/feeds/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pgFeedStores } from './pg-feed-stores.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

const TABLES = [
  'feed',
  'feed_loader_task',
  'tasks',
  'task_queue',
  'feed_locks',
  'offer_batches',
  'feed_statistics',
  'offer_errors',
  'old_tasks',
  'file_owners',
  'photo_errors',
];
feedStoresContract('PostgreSQL', {
  open: async () => {
    await db.pool.query(`truncate ${TABLES.map((table) => `feeds.${table}`).join(', ')}`);
    return { stores: pgFeedStores(db.pool), close: async () => {} };
  },
});

/** Tables of the source with their keys; the namespace is in each of them. */
const KEYS: Readonly<Record<string, string>> = {
  feed: 'seller_id, namespace',
  feed_loader_task: 'seller_id, namespace',
  tasks: 'seller_id, namespace, task_id',
  task_queue: 'seller_id, namespace, task_id',
  feed_locks: 'context, seller_id, namespace',
  offer_batches: 'seller_id, namespace, task_id, generation, batch_id',
  feed_statistics: 'seller_id, namespace, task_id',
  offer_errors: 'seller_id, namespace, task_id, generation, external_id, error_id',
  old_tasks: 'seller_id, namespace, task_id',
};
test.each(Object.entries(KEYS))('[P10] the key of %s is %s', async (table, key) => {
  const { rows } = await db.pool.query<{ indexdef: string }>(
    `select indexdef from pg_indexes where schemaname = 'feeds' and tablename = $1 and indexname = $2`,
    [table, `${table}_pkey`],
  );
  expect(rows[0]?.indexdef).toContain(`(${key})`);
});

/** Indexes of the source. `shard` shares the work out; the namespace is in each of them. */
const INDEXES: Readonly<Record<string, readonly [table: string, columns: string]>> = {
  feed_loader_task_by_fetch: ['feed_loader_task', 'shard, last_fetched_at NULLS FIRST'],
  tasks_by_update: ['tasks', 'seller_id, namespace, updated_at'],
  feed_locks_by_time: ['feed_locks', 'context, shard, acquired'],
  offer_errors_by_level: [
    'offer_errors',
    'seller_id, namespace, task_id, generation, error_level, external_id, error_id',
  ],
};
test.each(Object.entries(INDEXES))('[P10] the index %s is there: %j', async (index, [table, columns]) => {
  const { rows } = await db.pool.query<{ indexdef: string }>(
    `select indexdef from pg_indexes where schemaname = 'feeds' and tablename = $1 and indexname = $2`,
    [table, index],
  );
  expect(rows[0]?.indexdef).toContain(`(${columns})`);
});
test('[P10] there are the tables of the source, those of files and pictures, and no others', async () => {
  const { rows } = await db.pool.query<{ tablename: string }>(
    `select tablename from pg_tables where schemaname = 'feeds' order by 1`,
  );
  expect(rows.map(({ tablename }) => tablename)).toEqual([...TABLES].sort());
  const inAll = await db.pool.query<{ table_name: string }>(
    `select table_name from information_schema.columns
      where table_schema = 'feeds' and column_name = 'namespace' and is_nullable = 'NO' order by 1`,
  );
  const apart = TABLES.filter((table) => table !== 'file_owners');
  expect(inAll.rows.map(({ table_name }) => table_name)).toEqual(apart.sort());
});
