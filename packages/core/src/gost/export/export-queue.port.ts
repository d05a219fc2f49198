import type { ResultAsync } from 'neverthrow';
import type { ShardsMismatch, Unavailable } from '../../kernel/index.ts';

/** `key` is the record's key in `topic`, for an offer its id. `id` distinguishes records of one key and moment. */
export type QueueKey = {
  readonly shard: number;
  readonly atUs: number;
  readonly topic: string;
  readonly key: string;
  readonly id: string;
};
export type QueuedRecord = QueueKey & { readonly value: Uint8Array };
/** A record that the log refused for good, for an operator to look at. */
export type ParkedRecord = QueueKey & { readonly bytes: number; readonly reason: string };

/** Records of commits that are not published yet. A record stays until its full key is deleted. */
export interface ExportQueue {
  /** The first call stores the number of shards. Later calls with another number are refused: the order depends on it. */
  settleShards(shards: number): ResultAsync<void, ShardsMismatch | Unavailable>;
  /**
   * Oldest first, at most `limit`, and at most what one answer of the store holds. All records are as of one moment. Records
   * of one key are in the order of their commits, and all earlier ones that are left come before.
   */
  read(shard: number, limit: number): ResultAsync<readonly QueuedRecord[], Unavailable>;
  /** Deletes exactly these keys. A record that was committed after `read` survives. Calling it twice has the same effect. */
  delete(keys: readonly QueueKey[]): ResultAsync<void, Unavailable>;
  /** Moves these out of the queue in one step and keeps them with the reason. Twice is once. */
  park(records: readonly QueuedRecord[], reason: string): ResultAsync<void, Unavailable>;
  /** The parked records of a shard, or only those of `key`, oldest first, at most `limit`. Without their values: they are large. */
  parked(shard: number, limit: number, key?: string): ResultAsync<readonly ParkedRecord[], Unavailable>;
  /** Moves a parked record back into the queue in one step. False: it is not parked, so nothing changes. */
  unpark(key: QueueKey): ResultAsync<boolean, Unavailable>;
}

/** Every change of an offer. Key: offer id. */
export const OFFER_UPDATES = 'gost-offer-updates';
/** Batches of feed loads, and the answers to them. Key: seller. */
export const FEED_OFFERS = 'feed-offers';
export const FEED_RESULTS = 'feed-results';
/** Photos of feed offers that could not be downloaded. Key: seller. */
export const FEED_PHOTO_ERRORS = 'feed-photo-errors';
/** Opinions of moderation about offers. Key: offer id. */
export const MODERATION_OPINIONS = 'moderation-opinions';
