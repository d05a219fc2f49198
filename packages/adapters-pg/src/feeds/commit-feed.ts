import { feedShard, type FeedChange, type FeedLink, type Load, type SavedResults } from '@doska/core/feeds';
import type { FeedKey } from '@doska/core/gost';
import type pg from 'pg';
import { CONTEXT, LEVEL, STATUS, storable } from './feed-rows.ts';

const FIRST = `insert into feeds.feed (seller_id, namespace, revision, version, status, last_task, settings, changed_at)
  values ($1, $2, 1, $3, $4, $5, $6, $7) on conflict do nothing`;
const NEXT = `update feeds.feed set revision = revision + 1, version = $4, status = $5, last_task = $6, settings = $7,
  changed_at = $8 where seller_id = $1 and namespace = $2 and revision = $3`;
const TOUCH =
  'update feeds.feed set revision = revision + 1 where seller_id = $1 and namespace = $2 and revision = $3';
const OWNER = 'delete from feeds.file_owners where id = $1 and not condemned';
const NO_LINK = 'delete from feeds.feed_loader_task where seller_id = $1 and namespace = $2';
const LINK = `insert into feeds.feed_loader_task
    (seller_id, namespace, shard, feed_version, url, last_fetched_at, next_attempt_at, state)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (seller_id, namespace) do update set
    feed_version = excluded.feed_version, url = excluded.url, last_fetched_at = excluded.last_fetched_at,
    next_attempt_at = excluded.next_attempt_at, state = excluded.state`;
const LOCK = `insert into feeds.feed_locks (context, seller_id, namespace, shard, token, holder, acquired)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (context, seller_id, namespace) do update set
    token = excluded.token, holder = excluded.holder, acquired = excluded.acquired`;
const TASK = `insert into feeds.tasks (seller_id, namespace, task_id, shard, feed_version, blob_hash, blob_owner, created_at,
    updated_at, status, error_message, sent_at, request_id, state)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  on conflict (seller_id, namespace, task_id) do update set updated_at = excluded.updated_at, status = excluded.status,
    error_message = excluded.error_message, sent_at = excluded.sent_at, state = excluded.state`;
const QUEUE = `insert into feeds.task_queue (seller_id, namespace, task_id, shard, created_at, next_attempt_at)
  values ($1, $2, $3, $4, $5, $6) on conflict (seller_id, namespace, task_id) do update set
    next_attempt_at = excluded.next_attempt_at where task_queue.next_attempt_at <> excluded.next_attempt_at`;
const DEQUEUE = 'delete from feeds.task_queue where seller_id = $1 and namespace = $2 and task_id = $3';
const OLD = `insert into feeds.old_tasks (seller_id, namespace, task_id)
  select $1, $2, unnest($3::bigint[]) on conflict do nothing`;
const BATCHES = `insert into feeds.offer_batches (seller_id, namespace, task_id, generation, batch_id)
  select $1, $2, $3, $4, unnest($5::bigint[])`;
const STATISTICS = `insert into feeds.feed_statistics (seller_id, namespace, task_id, generation, statistics)
  values ($1, $2, $3, $4, $5) on conflict (seller_id, namespace, task_id) do update set
    generation = excluded.generation, statistics = excluded.statistics`;
const ERRORS = `insert into feeds.offer_errors (seller_id, namespace, task_id, generation, external_id, error_id, error_level,
    code, path, ordinal, line, title, error_message, value)
  select $1, $2, $3, $4, * from unnest($5::text[], $6::bigint[], $7::smallint[], $8::text[], $9::text[], $10::bigint[],
    $11::bigint[], $12::text[], $13::text[], $14::text[])`;

const failureOf = ({ task, fatal }: Load): string | null => {
  if (task.place !== 'failed') return null;
  const said = 'message' in task.failure ? task.failure.message : task.failure.code;
  return storable(fatal?.message ?? said);
};

/** Writes what a change says. The caller has checked nothing: `false` means that the feed is at another revision. */
export const writeFeed = async (
  tx: pg.PoolClient,
  { seller, namespace }: FeedKey,
  revision: number,
  { feed }: FeedChange,
): Promise<boolean> => {
  const key = [seller, namespace];
  if (!feed) return (await tx.query(TOUCH, [...key, revision])).rowCount === 1;
  const columns = [feed.version, feed.status, feed.lastTask, JSON.stringify(feed.settings), feed.changedAtMs];
  const { rowCount } = await (revision === 0
    ? tx.query(FIRST, [...key, ...columns])
    : tx.query(NEXT, [...key, revision, ...columns]));
  return rowCount === 1;
};

const writeLink = (tx: pg.PoolClient, key: FeedKey, link: FeedLink): Promise<unknown> =>
  tx.query(LINK, [
    key.seller,
    key.namespace,
    feedShard(key),
    link.feedVersion,
    link.url,
    link.lastFetchedAtMs ?? null,
    link.nextAttemptAtMs,
    JSON.stringify(link),
  ]);

const writeLoad = async (tx: pg.PoolClient, key: FeedKey, load: Load): Promise<void> => {
  const { task, file } = load;
  const name = [key.seller, key.namespace, task.id];
  const shard = feedShard(key);
  await tx.query(TASK, [
    ...name,
    shard,
    load.feedVersion,
    file?.hash ?? null,
    file?.owner ?? null,
    load.createdAtMs,
    load.updatedAtMs,
    STATUS[task.place],
    failureOf(load),
    task.place === 'sent' ? task.sentAtMs : null,
    load.requestId ?? null,
    JSON.stringify(load),
  ]);
  if (task.place === 'queued')
    await tx.query(QUEUE, [...name, shard, load.createdAtMs, task.nextAttemptAtMs]);
  else await tx.query(DEQUEUE, name);
};

const writeResults = async (tx: pg.PoolClient, key: FeedKey, results: SavedResults): Promise<void> => {
  const { task, generation, batches, statistics, errors } = results;
  const name = [key.seller, key.namespace, task, generation];
  if (batches.length > 0) await tx.query(BATCHES, [...name, batches]);
  await tx.query(STATISTICS, [...name, JSON.stringify(statistics)]);
  if (errors.length === 0) return;
  await tx.query(ERRORS, [
    ...name,
    errors.map(({ externalId }) => storable(externalId)),
    errors.map(({ n }) => n),
    errors.map(({ level }) => LEVEL[level]),
    errors.map(({ code }) => storable(code)),
    errors.map(({ path }) => storable(path)),
    errors.map(({ ordinal }) => ordinal),
    errors.map(({ line }) => line ?? null),
    errors.map(({ title }) => (title === undefined ? null : storable(title))),
    errors.map(({ message }) => storable(message)),
    errors.map(({ value }) => (value === undefined ? null : storable(value))),
  ]);
};

/** False: the announced owner is gone. */
export const takeOwner = async (tx: pg.PoolClient, { owner }: FeedChange): Promise<boolean> =>
  owner === undefined || (await tx.query(OWNER, [owner])).rowCount === 1;

/** Everything but the row of the feed. */
export const writeChange = async (tx: pg.PoolClient, key: FeedKey, change: FeedChange): Promise<void> => {
  const { link, locks = {}, loads = [], old = [], results = [] } = change;
  if (link === 'gone') await tx.query(NO_LINK, [key.seller, key.namespace]);
  else if (link) await writeLink(tx, key, link);
  for (const [context, lock] of Object.entries(locks))
    await tx.query(LOCK, [
      CONTEXT[context as keyof typeof CONTEXT],
      key.seller,
      key.namespace,
      feedShard(key),
      lock.token,
      lock.holder ?? null,
      lock.renewedAtMs,
    ]);
  for (const load of loads) await writeLoad(tx, key, load);
  if (old.length > 0) await tx.query(OLD, [key.seller, key.namespace, old]);
  for (const one of results) await writeResults(tx, key, one);
};
