import type { ResultAsync } from 'neverthrow';
import type { FeedKey, SellerId } from '../../gost/index.ts';
import type { BlobHash, Unavailable } from '../../kernel/index.ts';
import type { Feed } from '../domain/feed.ts';
import type { FeedTaskId } from '../domain/feed-task.ts';
import type {
  FeedChange,
  Load,
  LoadKey,
  LoadStatistics,
  LockContext,
  OfferError,
  StoredError,
  StoredFeed,
} from '../domain/load.ts';

/** Another commit was faster: load the feed and decide again. */
export type FeedChanged = { readonly kind: 'FeedChanged' };
/** The announcement of a file was swept: announce, hold and put it again. */
export type OwnerGone = { readonly kind: 'OwnerGone' };

export const STORE_ROWS_MAX = 1_000;

/** Feeds, their loads and what became of them. */
export interface FeedStore {
  /** Undefined: there never was such a feed. */
  load(key: FeedKey): ResultAsync<StoredFeed | undefined, Unavailable>;
  /**
   * Makes the change true if the feed is still at `revision` (0: it must not exist, and the change has its row). All of it
   * or nothing. Results of a batch that is saved already are the caller's mistake: ask `savedBatches` first.
   */
  commit(
    key: FeedKey,
    revision: number,
    change: FeedChange,
  ): ResultAsync<void, FeedChanged | OwnerGone | Unavailable>;
  /** All feeds of a seller by namespace, removed ones too. */
  feedsOf(seller: SellerId): ResultAsync<readonly Feed[], Unavailable>;
  findLoad(key: LoadKey): ResultAsync<Load | undefined, Unavailable>;
  /** Loads by descending number, below `before`, at most `limit` (and 1000). */
  history(
    key: FeedKey,
    page: { readonly before?: number; readonly limit: number },
  ): ResultAsync<readonly Load[], Unavailable>;
  /** The load of an upload with this request id. */
  findRequest(key: FeedKey, requestId: string): ResultAsync<Load | undefined, Unavailable>;
  /** Which of these batches have saved answers. */
  savedBatches(
    key: LoadKey,
    generation: number,
    batches: readonly number[],
  ): ResultAsync<ReadonlySet<number>, Unavailable>;
  statistics(
    key: FeedKey,
    tasks: readonly FeedTaskId[],
  ): ResultAsync<ReadonlyMap<FeedTaskId, LoadStatistics>, Unavailable>;
  /**
   * Errors of one generation by external id and number, after `after`, at most `limit` (and 1000).
   */
  errors(key: LoadKey, question: ErrorQuestion): ResultAsync<readonly StoredError[], Unavailable>;
}
export type ErrorPlace = { readonly externalId: string; readonly n: number };
export type ErrorQuestion = {
  readonly generation: number;
  readonly level?: OfferError['level'];
  readonly code?: string;
  readonly after?: ErrorPlace;
  readonly limit: number;
};

/** Work that waits, found by shard. An answer may be out of date: decide on the loaded feed. */
export interface FeedQueues {
  /** Feeds with a queued load that is due, the longest waiting first. */
  dueTasks(shard: number, nowMs: number, limit: number): ResultAsync<readonly FeedKey[], Unavailable>;
  /** Feeds with a link that is due, never fetched ones first, then by the last success. */
  dueLinks(shard: number, nowMs: number, limit: number): ResultAsync<readonly FeedKey[], Unavailable>;
  /** Feeds whose lock is held and was not renewed since. */
  staleLocks(
    context: LockContext,
    shard: number,
    renewedBeforeMs: number,
    limit: number,
  ): ResultAsync<readonly FeedKey[], Unavailable>;
  /** Feeds with a sent load that did not change since. */
  unanswered(
    shard: number,
    changedBeforeMs: number,
    limit: number,
  ): ResultAsync<readonly FeedKey[], Unavailable>;
}

/** Processes that are about to name a file. A load takes the announcement over in the commit that creates it. */
export interface FileOwners {
  announce(owner: FileOwner): ResultAsync<void, Unavailable>;
  /** Announced before this time and not taken over, at most `limit` (and 1000). */
  announcedBefore(atMs: number, limit: number): ResultAsync<readonly FileOwner[], Unavailable>;
  /** From now on no load can take it over. If a load has it already, this changes nothing: ask `isHolding`. */
  condemn(id: string): ResultAsync<void, Unavailable>;
  /** Forgets the announcement. */
  drop(id: string): ResultAsync<void, Unavailable>;
  /** Announced and not condemned, or the owner of a load. */
  isHolding(id: string): ResultAsync<boolean, Unavailable>;
  /** How many loads have this owner. */
  loadsOf(id: string): ResultAsync<number, Unavailable>;
}
export type FileOwner = { readonly id: string; readonly hash: BlobHash; readonly atMs: number };

/** Deletes old loads, step by step. Every step may be repeated. */
export interface FeedCleanup {
  /** Loads that are to be deleted and have ended, at most `limit` (and 1000). */
  old(limit: number): ResultAsync<readonly LoadKey[], Unavailable>;
  /** Deletes at most `limit` errors of the load; then its statistics, answers and queue row. True when nothing is left. */
  deleteDetails(key: LoadKey, limit: number): ResultAsync<boolean, Unavailable>;
  /** Deletes the load, then forgets that it was to be deleted. */
  deleteLoad(key: LoadKey): ResultAsync<void, Unavailable>;
  /** Marks every load of the feed as old. */
  markAll(key: FeedKey): ResultAsync<void, Unavailable>;
  /** Deletes errors of lower generations than the load shows, at most `limit`. Returns how many. */
  deleteOutdatedErrors(limit: number): ResultAsync<number, Unavailable>;
}

export type PhotoErrorRow = {
  readonly offerId: string;
  readonly externalId: string;
  readonly url: string;
  readonly reason: string;
};
/** Pictures of a feed's offers that could not be had. */
export interface PhotoErrors {
  /** From now on these are all errors of the offer. */
  replace(
    key: FeedKey,
    offer: { readonly offerId: string; readonly externalId: string },
    errors: readonly { readonly url: string; readonly reason: string }[],
  ): ResultAsync<void, Unavailable>;
  /** By offer and URL, after `after`, at most `limit` (and 1000). */
  list(
    key: FeedKey,
    page: {
      readonly after?: { readonly offerId: string; readonly url: string };
      readonly limit: number;
    },
  ): ResultAsync<readonly PhotoErrorRow[], Unavailable>;
  deleteAll(key: FeedKey): ResultAsync<void, Unavailable>;
}

export type FeedStores = {
  readonly feeds: FeedStore;
  readonly queues: FeedQueues;
  readonly owners: FileOwners;
  readonly cleanup: FeedCleanup;
  readonly photoErrors: PhotoErrors;
};
