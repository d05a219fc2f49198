import { ok, Result, type Result as Outcome } from 'neverthrow';
import { ROWS_MAX, type FeedRow, type FeedStore, type StoredProgress } from '@doska/core/gost/storage';
import type { Unavailable } from '@doska/core/kernel';
import type { RowOf } from '../driver/column-type.ts';
import { list, query, rows } from '../driver/query.ts';
import { removedFeedRows } from '../schema/gost-tables.ts';
import { allBuckets } from '../schema/buckets.ts';
import { unreadable } from './offer-parts.ts';
import type { YdbGostOptions } from './ydb-offer-store.ts';

export const PROGRESS = query({
  name: 'gost/feed-progress',
  parameters: { seller: 'Utf8', namespace: 'Utf8' },
  results: [{ version: 'Uint64', body: 'String' }],
  text: 'SELECT version, body FROM gost_feed_progress WHERE seller = $seller AND namespace = $namespace;',
});
export const FEED_ROWS = query({
  name: 'gost/feed-rows',
  parameters: { seller: 'Utf8', namespace: 'Utf8', ids: list('Utf8') },
  results: [{ body: 'String' }],
  text: 'SELECT body FROM gost_feed WHERE seller = $seller AND namespace = $namespace AND external_id IN $ids;',
});
export const UNSEEN = query({
  name: 'gost/feed-unseen',
  parameters: { seller: 'Utf8', namespace: 'Utf8', task: 'Uint64', limit: 'Uint64' },
  results: [{ external_id: 'Utf8' }],
  text: `SELECT external_id FROM gost_feed_task WHERE seller = $seller AND namespace = $namespace AND task < $task
ORDER BY seller, namespace, task, external_id LIMIT $limit;`,
});
export const FEED_COUNT = query({
  name: 'gost/feed-count',
  parameters: { seller: 'Utf8', namespace: 'Utf8', task: 'Uint64' },
  results: [{ n: 'Uint64' }, { n: 'Uint64' }],
  text: `SELECT COUNT(*) AS n FROM gost_feed_task WHERE seller = $seller AND namespace = $namespace;
SELECT COUNT(*) AS n FROM gost_feed_task WHERE seller = $seller AND namespace = $namespace AND task < $task;`,
});
export const REMOVED_BEFORE = query({
  name: 'gost/feed-removed-before',
  parameters: { bucket: 'Uint32', before: 'Uint64', limit: 'Uint64' },
  results: [removedFeedRows.columns],
  text: `SELECT bucket, removed_at_us, seller, namespace, external_id FROM gost_feed_removed
WHERE bucket = $bucket AND removed_at_us < $before
ORDER BY bucket, removed_at_us, seller, namespace, external_id LIMIT $limit;`,
});
export const FORGET_REMOVED = query({
  name: 'gost/feed-forget-removed',
  parameters: { old: rows(removedFeedRows.columns) },
  results: [],
  text: `DELETE FROM gost_feed ON SELECT seller, namespace, external_id FROM AS_TABLE($old);
DELETE FROM gost_feed_removed ON SELECT bucket, removed_at_us, seller, namespace, external_id FROM AS_TABLE($old);`,
});
export const feedQueries = [PROGRESS, FEED_ROWS, UNSEEN, FEED_COUNT, REMOVED_BEFORE, FORGET_REMOVED];

export const ydbFeedStore = ({ client, codecs }: Pick<YdbGostOptions, 'client' | 'codecs'>): FeedStore => {
  const decoded = (
    found: readonly { readonly body: Uint8Array }[],
  ): Outcome<readonly FeedRow[], Unavailable> =>
    Result.combine(found.map(({ body }) => codecs.feedRow.decode(body))).mapErr(unreadable);
  return {
    progress: ({ seller, namespace }) =>
      client
        .read('gost.feed.progress', async (tx) => (await tx.commit(PROGRESS, { seller, namespace }))[0][0])
        .andThen((row) =>
          (row ? codecs.feedProgress.decode(row.body) : ok(undefined))
            .map((progress): StoredProgress => ({ version: row?.version ?? 0, progress }))
            .mapErr(unreadable),
        ),
    rows: ({ seller, namespace }, externalIds) =>
      client
        .read('gost.feed.rows', async (tx) => {
          const ids = [...new Set(externalIds.slice(0, ROWS_MAX))];
          return (await tx.commit(FEED_ROWS, { seller, namespace, ids }))[0];
        })
        .andThen(decoded),
    unseenSince: ({ seller, namespace }, task, limit) =>
      client
        .read('gost.feed.unseenSince', async (tx) => {
          const [found] = await tx.run(UNSEEN, { seller, namespace, task, limit: Math.min(limit, ROWS_MAX) });
          const ids = found.map(({ external_id }) => external_id);
          return (await tx.commit(FEED_ROWS, { seller, namespace, ids }))[0];
        })
        .andThen(decoded),
    count: ({ seller, namespace }, task) =>
      client.read('gost.feed.count', async (tx) => {
        const [[all], [unseen]] = await tx.commit(FEED_COUNT, { seller, namespace, task });
        return { rows: all?.n ?? 0, unseen: unseen?.n ?? 0 };
      }),
    forgetRemoved: (beforeUs, limit) =>
      client.write('gost.feed.forgetRemoved', async (tx) => {
        const old: RowOf<typeof removedFeedRows.columns>[] = [];
        for (const bucket of allBuckets) {
          const most = Math.min(limit, ROWS_MAX) - old.length;
          if (most <= 0) break;
          old.push(...(await tx.run(REMOVED_BEFORE, { bucket, before: beforeUs, limit: most }))[0]);
        }
        if (old.length > 0) await tx.commit(FORGET_REMOVED, { old });
        return old.length;
      }),
  };
};
