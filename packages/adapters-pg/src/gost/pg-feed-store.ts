import { ok, Result } from 'neverthrow';
import { type FeedKey } from '@doska/core/gost';
import { ROWS_MAX, type FeedRow, type FeedStore, type StoredProgress } from '@doska/core/gost/storage';
import type { Unavailable } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import { unreadable } from './offer-rows.ts';
import type { PgGostOptions } from './pg-offer-store.ts';

const PROGRESS = 'select version, body from gost.feed_progress where seller = $1 and namespace = $2';
const ROWS = 'select body from gost.feed where seller = $1 and namespace = $2 and external_id = any($3)';
const UNSEEN = `select body from gost.feed where seller = $1 and namespace = $2 and task < $3 and removed_at_us is null
  order by task limit $4`;
const COUNT = `select count(*) as rows, count(*) filter (where task < $3) as unseen from gost.feed
  where seller = $1 and namespace = $2 and removed_at_us is null`;
const FORGET = `delete from gost.feed where (seller, namespace, external_id) in (
  select seller, namespace, external_id from gost.feed where removed_at_us < $1 order by removed_at_us limit $2)`;
type BodyRow = { readonly body: Buffer };

export const pgFeedStore = ({ pool, codecs }: Pick<PgGostOptions, 'pool' | 'codecs'>): FeedStore => {
  const decoded = (rows: readonly BodyRow[]): Result<readonly FeedRow[], Unavailable> =>
    Result.combine(rows.map(({ body }) => codecs.feedRow.decode(body))).mapErr(unreadable);
  const keyOf = ({ seller, namespace }: FeedKey): readonly string[] => [seller, namespace];
  return {
    progress: (feed) =>
      guard('gost.feed.progress', () =>
        pool.query<BodyRow & { readonly version: string }>(PROGRESS, [...keyOf(feed)]),
      ).andThen(({ rows: [row] }) =>
        (row ? codecs.feedProgress.decode(row.body) : ok(undefined))
          .map((progress): StoredProgress => ({ version: Number(row?.version ?? 0), progress }))
          .mapErr(unreadable),
      ),
    rows: (feed, externalIds) =>
      guard('gost.feed.rows', () =>
        pool.query<BodyRow>(ROWS, [...keyOf(feed), externalIds.slice(0, ROWS_MAX)]),
      ).andThen(({ rows }) => decoded(rows)),
    unseenSince: (feed, task, limit) =>
      guard('gost.feed.unseenSince', () =>
        pool.query<BodyRow>(UNSEEN, [...keyOf(feed), task, Math.min(limit, ROWS_MAX)]),
      ).andThen(({ rows }) => decoded(rows)),
    count: (feed, task) =>
      guard('gost.feed.count', async () => {
        const { rows } = await pool.query<{ rows: string; unseen: string }>(COUNT, [...keyOf(feed), task]);
        return { rows: Number(rows[0]?.rows ?? 0), unseen: Number(rows[0]?.unseen ?? 0) };
      }),
    forgetRemoved: (beforeUs, limit) =>
      guard('gost.feed.forgetRemoved', async () => {
        const { rowCount } = await pool.query(FORGET, [beforeUs, Math.min(limit, ROWS_MAX)]);
        return rowCount ?? 0;
      }),
  };
};
