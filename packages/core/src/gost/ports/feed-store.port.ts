import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { FeedKey, FeedRow, StoredProgress } from '../domain/feed.ts';

/** What feeds have brought; it is moved by `OfferStore.commit`, together with the offers. */
export interface FeedStore {
  progress(feed: FeedKey): ResultAsync<StoredProgress, Unavailable>;
  /** Those of the external ids (1000 at most) that are known, in any order. */
  rows(feed: FeedKey, externalIds: readonly string[]): ResultAsync<readonly FeedRow[], Unavailable>;
  /** Rows that were last seen by an earlier load than `task` and were not removed since, at most `limit` (and 1000). */
  unseenSince(feed: FeedKey, task: number, limit: number): ResultAsync<readonly FeedRow[], Unavailable>;
  /** How many rows the feed has, those that were removed left out, and how many of them `unseenSince` would tell. */
  count(
    feed: FeedKey,
    task: number,
  ): ResultAsync<{ readonly rows: number; readonly unseen: number }, Unavailable>;
  /** Forgets rows that were removed before `beforeUs`, at most `limit` (and 1000) of them; answers how many. */
  forgetRemoved(beforeUs: number, limit: number): ResultAsync<number, Unavailable>;
}
