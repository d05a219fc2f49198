import type { FeedKey } from '../../gost/index.ts';
import { shardOf } from '../../kernel/index.ts';
import { defaultFeedSettingsLimits, type FeedSettingsLimits } from './feed.ts';
import { defaultReadLimits, type ReadLimits } from './read-limits.ts';
import { defaultFeedTaskSettings, type FeedTaskSettings } from './feed-task.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How the feeds work. Every bound is a setting. */
export type FeedsSettings = {
  readonly task: FeedTaskSettings;
  readonly limits: FeedSettingsLimits;
  /** A lock that was not renewed for so long is freed. */
  readonly lockMs: number;
  /** How often a run renews its lock and tells its progress. */
  readonly renewMs: number;
  /** How often a worker looks for work. */
  readonly pollMs: number;
  /** Runs and downloads of one process at the same time. */
  readonly runsMax: number;
  readonly downloadsMax: number;
  readonly downloadsPerHost: number;
  /** The pause after a failed download grows from the first to the second. */
  readonly fetchRetry: { readonly firstMs: number; readonly maxMs: number };
  readonly file: {
    readonly bytesMax: number;
    /** After decompression. */
    readonly decodedBytesMax: number;
    readonly downloadMs: number;
    readonly redirectsMax: number;
  };
  readonly batch: { readonly entriesMax: number; readonly bytesMax: number };
  readonly offersMax: number;
  /** What else a reader takes from a file. */
  readonly read: Omit<ReadLimits, 'decodedBytesMax' | 'offersMax'>;
  /** A run that takes longer fails in passing. */
  readonly runMsMax: number;
  readonly errorsPerEntryMax: number;
  /** A category that is guessed from words counts from this sureness on, 0 to 1. */
  readonly surenessMin: number;
  /** Errors of a load that are stored; counting goes on. */
  readonly errorsStoredMax: number;
  /** Equal content is processed again after this time. */
  readonly reprocessAfterMs: number;
  /** A load with errors that may pass is processed again after a pause, so many times. */
  readonly repeatsMax: number;
  readonly repeatPauseMs: number;
  /** Loads that stay: processed ones and others. */
  readonly keepProcessed: number;
  readonly keepOthers: number;
  /** A file that was announced and not used for so long is deleted. */
  readonly ownerMs: number;
  readonly settleMs: number;
};

export const defaultFeedsSettings: FeedsSettings = {
  task: defaultFeedTaskSettings,
  limits: defaultFeedSettingsLimits,
  lockMs: 10 * MINUTE_MS,
  renewMs: 15_000,
  pollMs: 1_000,
  runsMax: 2,
  downloadsMax: 8,
  downloadsPerHost: 2,
  fetchRetry: { firstMs: MINUTE_MS, maxMs: 6 * HOUR_MS },
  file: {
    bytesMax: 2 ** 30,
    decodedBytesMax: defaultReadLimits.decodedBytesMax,
    downloadMs: HOUR_MS,
    redirectsMax: 5,
  },
  batch: { entriesMax: 500, bytesMax: 256 * 1024 },
  offersMax: defaultReadLimits.offersMax,
  read: defaultReadLimits,
  runMsMax: 12 * HOUR_MS,
  errorsPerEntryMax: 20,
  surenessMin: 0.6,
  errorsStoredMax: 100_000,
  reprocessAfterMs: 7 * DAY_MS,
  repeatsMax: 3,
  repeatPauseMs: 10 * MINUTE_MS,
  keepProcessed: 10,
  keepOthers: 20,
  ownerMs: 6 * HOUR_MS,
  settleMs: 5 * MINUTE_MS,
};

/** Work on feeds is shared out by this number of shards. It is part of the stored rows, so it is no setting. */
export const FEED_SHARDS = 16;
export const feedShard = ({ seller, namespace }: FeedKey): number =>
  shardOf(`${seller}/${namespace}`, FEED_SHARDS);
