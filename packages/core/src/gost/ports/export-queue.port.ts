import type { ResultAsync } from 'neverthrow';
import type { ShardsMismatch, Unavailable } from '../../kernel/index.ts';

/** `key` is the record's key in `topic`: of an offer its id. `id` parts records of one key and moment. */
export type QueueKey = {
  readonly shard: number;
  readonly atUs: number;
  readonly topic: string;
  readonly key: string;
  readonly id: string;
};
export type QueuedRecord = QueueKey & { readonly value: Uint8Array };

/** What commits have left to be told. A record stays until exactly its key is deleted. */
export interface ExportQueue {
  /** The first call settles the number of shards for ever; another number is refused, because order depends on it. */
  settleShards(shards: number): ResultAsync<void, ShardsMismatch | Unavailable>;
  /**
   * Oldest first, at most `limit` and at most what the store answers at once. All are as of one moment, and records of one key
   * are in the order of their commits: before one of them stand all earlier ones that are left.
   */
  read(shard: number, limit: number): ResultAsync<readonly QueuedRecord[], Unavailable>;
  /** Deletes these and no others: a record that was committed between `read` and here survives. Twice is once. */
  delete(keys: readonly QueueKey[]): ResultAsync<void, Unavailable>;
}

/** Where every change of an offer goes; the key is the offer's id. */
export const OFFER_UPDATES = 'gost-offer-updates';
/** What loads of feeds bring, and what became of it; the key is the seller. */
export const FEED_OFFERS = 'feed-offers';
export const FEED_RESULTS = 'feed-results';
/** Pictures of feeds' offers that could not be had; the key is the seller. */
export const FEED_PHOTO_ERRORS = 'feed-photo-errors';
/** What moderation thinks of offers; the key is the offer's id. */
export const MODERATION_OPINIONS = 'moderation-opinions';
