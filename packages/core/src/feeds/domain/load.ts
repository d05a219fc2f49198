import type { FeedError, FeedKey, FeedVerdict } from '../../gost/index.ts';
import type { BlobHash } from '../../kernel/index.ts';
import type { AbsentOffers, Feed, FeedDefaults, FeedFormat } from './feed.ts';
import type { FeedTask, FeedTaskId } from './feed-task.ts';

/** `owner` names the hold that keeps the file. */
export type LoadFile = { readonly hash: BlobHash; readonly bytes: number; readonly owner: string };
export type LoadOrigin = 'upload' | 'link' | 'parsed' | 'removal';

/** How far the newest run has come. */
export type LoadProgress = {
  readonly bytesRead: number;
  readonly offersRead: number;
  readonly offersSent: number;
  readonly batchesSent: number;
  /** Offers without a readable id. They are not sent. */
  readonly unreadable: number;
  /** Offers that were sent with an error that may pass, for example because the geocoder was away. */
  readonly transientErrors: number;
};
export const noLoadProgress: LoadProgress = {
  bytesRead: 0,
  offersRead: 0,
  offersSent: 0,
  batchesSent: 0,
  unreadable: 0,
  transientErrors: 0,
};

/** Why the file as a whole was refused, and where. */
export type FatalError = {
  readonly code: string;
  readonly message: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
};

/** One load of a feed: its task, and everything that a run needs to know. */
export type Load = {
  readonly task: FeedTask;
  /** Undefined: a removal has no file. */
  readonly file: LoadFile | undefined;
  readonly origin: LoadOrigin;
  readonly feedVersion: number;
  readonly format: FeedFormat;
  readonly absent: AbsentOffers;
  readonly defaults: FeedDefaults;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The caller's name for an upload: the same name again is the same load. */
  readonly requestId: string | undefined;
  /** How often this file was processed before because of errors that may pass. */
  readonly repeats: number;
  readonly progress: LoadProgress;
  /** Of the newest run. */
  readonly catalogVersion: number | undefined;
  readonly fatal: FatalError | undefined;
  /** Later fetches that brought the same content. */
  readonly unchanged: { readonly count: number; readonly lastAtMs: number } | undefined;
};

export type LockContext = 'feedloader' | 'feedprocessor';
export const LOCK_CONTEXTS = ['feedloader', 'feedprocessor'] as const satisfies LockContext[];
/** `token` only grows and outlives its holders. */
export type FeedLock = {
  readonly token: number;
  /** Undefined: the lock is free. */
  readonly holder: string | undefined;
  readonly renewedAtMs: number;
};
export const freeLock: FeedLock = { token: 0, holder: undefined, renewedAtMs: 0 };

/** Later than any clock. */
export const NEVER_MS = Number.MAX_SAFE_INTEGER;
/** A link that is fetched. */
export type FeedLink = {
  readonly feedVersion: number;
  readonly url: string;
  /** 0: it is fetched once, and is gone when its load is made. */
  readonly intervalMs: number;
  /** The last success. */
  readonly lastFetchedAtMs: number | undefined;
  /** `NEVER_MS`: a link that is fetched once was given up. */
  readonly nextAttemptAtMs: number;
  /** Failed attempts since the last success. */
  readonly failures: number;
  readonly lastError: { readonly message: string; readonly atMs: number } | undefined;
  /** What the server said about this content. They are sent only while the newest load has it. */
  readonly validators:
    | {
        readonly hash: BlobHash;
        readonly etag: string | undefined;
        readonly lastModified: string | undefined;
      }
    | undefined;
};

export const isFetchedOnce = ({ intervalMs }: FeedLink): boolean => intervalMs === 0;
export const newLink = (
  { url, intervalMs }: { readonly url: string; readonly intervalMs: number },
  feedVersion: number,
  nowMs: number,
): FeedLink => ({
  feedVersion,
  url,
  intervalMs,
  lastFetchedAtMs: undefined,
  nextAttemptAtMs: nowMs,
  failures: 0,
  lastError: undefined,
  validators: undefined,
});

/** All that decisions about a feed need. `revision` counts its commits. */
export type StoredFeed = {
  readonly revision: number;
  readonly feed: Feed;
  readonly link: FeedLink | undefined;
  readonly locks: Readonly<Record<LockContext, FeedLock>>;
  /** Loads that have not ended, by ascending number. */
  readonly open: readonly Load[];
  readonly newest: Load | undefined;
};

/** An error of one offer in one load, as it is shown. */
export type OfferError = FeedError & {
  readonly ordinal: number;
  readonly externalId: string;
  readonly title: string | undefined;
};

/** `n` numbers the stored errors of a run. */
export type StoredError = OfferError & { readonly n: number };

export type LoadStatistics = {
  /** Of the run that is counted. */
  readonly generation: number;
  readonly verdicts: Readonly<Record<FeedVerdict, number>>;
  /** Errors and warnings by code. */
  readonly codes: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly warnings: number;
  /** Stored rows; counting goes on when the limit of stored errors is reached. */
  readonly stored: number;
  readonly removed: number;
  readonly manual: number;
  /** Offers of the feed, and how many of them the load did not have; told with the terminal answer. */
  readonly known: number;
  readonly unseen: number;
};
export const noStatistics: LoadStatistics = {
  generation: 0,
  verdicts: { inserted: 0, updated: 0, unchanged: 0, rejected: 0, skipped: 0 },
  codes: {},
  errors: 0,
  warnings: 0,
  stored: 0,
  removed: 0,
  manual: 0,
  known: 0,
  unseen: 0,
};

/** Results of a load that are saved together. */
export type SavedResults = {
  readonly task: FeedTaskId;
  readonly generation: number;
  /** Numbers of the answered batches. */
  readonly batches: readonly number[];
  readonly statistics: LoadStatistics;
  readonly errors: readonly StoredError[];
};

/** What one commit makes true together. What is absent stays as it is. */
export type FeedChange = {
  readonly feed?: Feed;
  readonly link?: FeedLink | 'gone';
  readonly locks?: Partial<Readonly<Record<LockContext, FeedLock>>>;
  /** Written as a whole, also new ones. A load has a row in the queue exactly while it is `queued`. */
  readonly loads?: readonly Load[];
  /** An announced owner that becomes the load's: the commit is refused if it is gone. */
  readonly owner?: string;
  /** Loads that the cleanup deletes. */
  readonly old?: readonly FeedTaskId[];
  readonly results?: readonly SavedResults[];
};

export type LoadKey = FeedKey & { readonly task: FeedTaskId };
export const hasEnded = ({ task }: Load): boolean => task.place === 'failed' || task.place === 'succeed';
/** The load came to its end, and its file was applied. */
export const isProcessed = ({ task, origin }: Load): boolean =>
  task.place === 'succeed' && origin !== 'removal';
