import { STORE_ROWS_MAX, type FeedStore, type FeedTaskId, type LoadStatistics } from '@doska/core/feeds';
import { err, ok } from 'neverthrow';
import type pg from 'pg';
import { guard } from '../driver/guard.ts';
import { inTransaction } from '../driver/transaction.ts';
import { takeOwner, writeChange, writeFeed } from './commit-feed.ts';
import {
  CONTEXT,
  errorOf,
  feedOf,
  LEVEL,
  linkOf,
  loadOf,
  lockOf,
  type ErrorColumns,
  type FeedColumns,
  type LockColumns,
} from './feed-rows.ts';

/** One statement, so that all of it is as of one moment. */
const LOAD = `select f.*,
    (select l.state from feeds.feed_loader_task l where l.seller_id = $1 and l.namespace = $2) as link,
    (select json_agg(json_build_object('context', k.context, 'token', k.token, 'holder', k.holder, 'acquired', k.acquired))
      from feeds.feed_locks k where k.context in (0, 1) and k.seller_id = $1 and k.namespace = $2) as locks,
    (select json_agg(t.state order by t.task_id) from feeds.tasks t
      where t.seller_id = $1 and t.namespace = $2 and t.status = 0) as open,
    (select t.state from feeds.tasks t where t.seller_id = $1 and t.namespace = $2
      order by t.task_id desc limit 1) as newest
  from feeds.feed f where f.seller_id = $1 and f.namespace = $2`;
const FEEDS = 'select * from feeds.feed where seller_id = $1 order by namespace limit $2';
const ONE = 'select state from feeds.tasks where seller_id = $1 and namespace = $2 and task_id = $3';
const HISTORY = `select state from feeds.tasks where seller_id = $1 and namespace = $2 and task_id < $3
  order by task_id desc limit $4`;
const REQUEST = 'select state from feeds.tasks where seller_id = $1 and namespace = $2 and request_id = $3';
const SAVED = `select batch_id from feeds.offer_batches where seller_id = $1 and namespace = $2 and task_id = $3
  and generation = $4 and batch_id = any($5::bigint[])`;
const STATISTICS = `select task_id, statistics from feeds.feed_statistics where seller_id = $1 and namespace = $2
  and task_id = any($3::bigint[])`;
const ERRORS = `select * from feeds.offer_errors where seller_id = $1 and namespace = $2 and task_id = $3 and generation = $4
  and (external_id, error_id) > ($5, $6) and ($7::smallint is null or error_level = $7)
  and ($8::text is null or code = $8) order by external_id, error_id limit $9`;

type LoadColumns = FeedColumns & {
  readonly link: string | null;
  readonly locks: readonly LockColumns[] | null;
  readonly open: readonly string[] | null;
  readonly newest: string | null;
};
type State = { readonly state: string };

export const pgFeedStore = (pool: pg.Pool): FeedStore => {
  const one = async (text: string, values: readonly unknown[]) => {
    const { rows } = await pool.query<State>(text, [...values]);
    return rows[0] && loadOf(rows[0]);
  };
  return {
    load: ({ seller, namespace }) =>
      guard('feeds.load', async () => {
        const { rows } = await pool.query<LoadColumns>({
          name: 'feeds_load',
          text: LOAD,
          values: [seller, namespace],
        });
        const [row] = rows;
        if (!row) return undefined;
        const lock = (context: number) => lockOf(row.locks?.find((found) => found.context === context));
        return {
          revision: Number(row.revision),
          feed: feedOf(row),
          link: row.link === null ? undefined : linkOf({ state: row.link }),
          locks: { feedloader: lock(CONTEXT.feedloader), feedprocessor: lock(CONTEXT.feedprocessor) },
          open: (row.open ?? []).map((state) => loadOf({ state })),
          newest: row.newest === null ? undefined : loadOf({ state: row.newest }),
        };
      }),
    commit: (key, revision, change) =>
      inTransaction(pool, 'feeds.commit', async (tx) => {
        if (!(await writeFeed(tx, key, revision, change))) return err({ kind: 'FeedChanged' as const });
        if (!(await takeOwner(tx, change))) return err({ kind: 'OwnerGone' as const });
        await writeChange(tx, key, change);
        return ok(undefined);
      }),
    feedsOf: (seller) =>
      guard('feeds.feedsOf', async () => {
        const { rows } = await pool.query<FeedColumns>(FEEDS, [seller, STORE_ROWS_MAX]);
        return rows.map(feedOf);
      }),
    findLoad: ({ seller, namespace, task }) =>
      guard('feeds.findLoad', () => one(ONE, [seller, namespace, task])),
    history: ({ seller, namespace }, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      guard('feeds.history', async () => {
        const values = [seller, namespace, before, Math.min(limit, STORE_ROWS_MAX)];
        return (await pool.query<State>(HISTORY, values)).rows.map(loadOf);
      }),
    findRequest: ({ seller, namespace }, requestId) =>
      guard('feeds.findRequest', () => one(REQUEST, [seller, namespace, requestId])),
    savedBatches: ({ seller, namespace, task }, generation, batches) =>
      guard('feeds.savedBatches', async () => {
        const values = [seller, namespace, task, generation, [...batches]];
        const { rows } = await pool.query<{ batch_id: string }>(SAVED, values);
        return new Set(rows.map(({ batch_id }) => Number(batch_id)));
      }),
    statistics: ({ seller, namespace }, tasks) =>
      guard('feeds.statistics', async () => {
        const values = [seller, namespace, [...tasks]];
        const { rows } = await pool.query<{ task_id: string; statistics: string }>(STATISTICS, values);
        return new Map(
          rows.map(({ task_id, statistics }) => [
            Number(task_id) as FeedTaskId,
            JSON.parse(statistics) as LoadStatistics,
          ]),
        );
      }),
    errors: ({ seller, namespace, task }, { generation, level, code, after, limit }) =>
      guard('feeds.errors', async () => {
        const { rows } = await pool.query<ErrorColumns>(ERRORS, [
          seller,
          namespace,
          task,
          generation,
          after?.externalId ?? '',
          after?.n ?? -1,
          level === undefined ? null : LEVEL[level],
          code ?? null,
          Math.min(limit, STORE_ROWS_MAX),
        ]);
        return rows.map(errorOf);
      }),
  };
};
