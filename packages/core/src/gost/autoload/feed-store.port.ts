import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { FeedKey, FeedRow, StoredProgress } from './feed.ts';

/** Reads the rows and the progress of feeds. `OfferStore.commit` writes them together with the offers. */
export interface FeedStore {
  progress(feed: FeedKey): ResultAsync<StoredProgress, Unavailable>;
  /** The rows of those external ids (1000 at most) that exist, in any order. */
  rows(feed: FeedKey, externalIds: readonly string[]): ResultAsync<readonly FeedRow[], Unavailable>;
  /** Rows that were last seen by a load before `task` and are not removed, at most `limit` (and 1000). */
  unseenSince(feed: FeedKey, task: number, limit: number): ResultAsync<readonly FeedRow[], Unavailable>;
  /** The number of rows that are not removed, and how many of them were last seen by a load before `task`. */
  count(
    feed: FeedKey,
    task: number,
  ): ResultAsync<{ readonly rows: number; readonly unseen: number }, Unavailable>;
  /** Deletes rows that were removed before `beforeUs`, at most `limit` (and 1000). Returns how many. */
  forgetRemoved(beforeUs: number, limit: number): ResultAsync<number, Unavailable>;
}
