import { ok, Result, type Result as Outcome } from 'neverthrow';
import { ROWS_MAX, type FeedRow, type FeedStore, type StoredProgress } from '@doska/core/gost/storage';
import type { Unavailable } from '@doska/core/kernel';
import type { RowOf } from '../driver/column-type.ts';
import { list, query, rows } from '../driver/query.ts';
import { removedFeedRows } from '../schema/gost-tables.ts';
import { allBuckets } from '../schema/buckets.ts';
import { unreadable } from './offer-parts.ts';
import { inSlices, SLICE_ROWS } from './slices.ts';
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
/** The rows of one slice in the order of their keys, counted, and its last key. */
export const FEED_SLICE = query({
  name: 'gost/feed-slice',
  parameters: {
    seller: 'Utf8',
    namespace: 'Utf8',
    task: 'Uint64',
    external_id: 'Utf8',
    limit: 'Uint64',
    before: 'Uint64',
  },
  results: [{ n: 'Uint64' }, { n: 'Uint64' }, { task: 'Uint64', external_id: 'Utf8' }],
  text: `$slice = (SELECT task, external_id FROM gost_feed_task WHERE seller = $seller AND namespace = $namespace
  AND task >= $task AND (task > $task OR external_id > $external_id)
  ORDER BY seller, namespace, task, external_id LIMIT $limit);
SELECT COUNT(*) AS n FROM $slice;
SELECT COUNT(*) AS n FROM $slice WHERE task < $before;
SELECT task, external_id FROM $slice ORDER BY task DESC, external_id DESC LIMIT 1;`,
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
export const feedQueries = [PROGRESS, FEED_ROWS, UNSEEN, FEED_SLICE, REMOVED_BEFORE, FORGET_REMOVED];

export const ydbFeedStore = ({
  client,
  codecs,
  sliceRows = SLICE_ROWS,
}: Pick<YdbGostOptions, 'client' | 'codecs' | 'sliceRows'>): FeedStore => {
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
        const sum = { rows: 0, unseen: 0 };
        const top: RowOf<{ task: 'Uint64'; external_id: 'Utf8' }> = { task: 0, external_id: '' };
        await inSlices(sliceRows, top, async (place, limit) => {
          const asked = { seller, namespace, before: task, ...place, limit };
          const [[all], [unseen], [last]] = await tx.run(FEED_SLICE, asked);
          sum.rows += all?.n ?? 0;
          sum.unseen += unseen?.n ?? 0;
          return { counted: all?.n ?? 0, last };
        });
        return sum;
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
