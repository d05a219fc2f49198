import { ok, Result } from 'neverthrow';
import { unavailable, type Unavailable } from '../../kernel/index.ts';
import { direct, transact, type MemoryTx } from '../../kernel/testing.ts';
import type { FeedKey, StoredProgress } from '../autoload/feed.ts';
import type { FeedStore } from '../autoload/feed-store.port.ts';
import { ROWS_MAX } from '../commit/offer-store.port.ts';
import type { InMemoryGostOptions } from './in-memory-offer-store.ts';
import { after, keyOf, type FeedRowRow, type ProgressRow } from './memory-rows.ts';

const unreadable = (cause: unknown): Unavailable => unavailable('a stored row is malformed', cause, false);

export const inMemoryFeedStore = ({ db, codecs, io = direct }: InMemoryGostOptions): FeedStore => {
  const decoded = (rows: readonly FeedRowRow[]) =>
    Result.combine(rows.map(({ body }) => codecs.feedRow.decode(body))).mapErr(unreadable);
  /** Page by page, as a database with small results is asked. */
  const living = (tx: MemoryTx, feed: FeedKey): FeedRowRow[] => {
    const rows: FeedRowRow[] = [];
    for (let last: string | undefined; ;) {
      const range = { ...after(keyOf.feed(feed)), ...(last ? { after: last } : {}), limit: ROWS_MAX };
      const page = tx.scan<FeedRowRow>('gost_feed', range);
      rows.push(...page.map(([, row]) => row).filter(({ removedAtUs }) => removedAtUs === undefined));
      last = page.at(-1)?.[0];
      if (page.length < ROWS_MAX) return rows;
    }
  };
  return {
    progress: (feed) =>
      transact(db, io, 'feed.progress', feed, (tx) =>
        ok(tx.get<ProgressRow>('gost_feed_progress', keyOf.feed(feed))),
      ).andThen((row) =>
        (row ? codecs.feedProgress.decode(row.body) : ok(undefined))
          .map((progress): StoredProgress => ({ version: row?.version ?? 0, progress }))
          .mapErr(unreadable),
      ),
    rows: (feed, externalIds) =>
      transact(db, io, 'feed.rows', externalIds, (tx) =>
        ok(
          externalIds
            .slice(0, ROWS_MAX)
            .flatMap((id) => tx.get<FeedRowRow>('gost_feed', keyOf.feedRow(feed, id)) ?? []),
        ),
      ).andThen(decoded),
    unseenSince: (feed, task, limit) =>
      transact(db, io, 'feed.unseenSince', { feed, task }, (tx) =>
        ok(
          living(tx, feed)
            .filter((row) => row.task < task)
            .slice(0, Math.min(limit, ROWS_MAX)),
        ),
      ).andThen(decoded),
    count: (feed, task) =>
      transact(db, io, 'feed.count', { feed, task }, (tx) => {
        const rows = living(tx, feed);
        return ok({ rows: rows.length, unseen: rows.filter((row) => row.task < task).length });
      }),
    forgetRemoved: (beforeUs, limit) =>
      transact(db, io, 'feed.forgetRemoved', beforeUs, (tx) => {
        const old = tx
          .scan<FeedRowRow>('gost_feed')
          .filter(([, { removedAtUs = Infinity }]) => removedAtUs < beforeUs)
          .slice(0, Math.min(limit, ROWS_MAX));
        for (const [key] of old) tx.delete('gost_feed', key);
        return ok(old.length);
      }),
  };
};
