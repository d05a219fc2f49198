import type { ResultAsync } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import type { Unavailable } from '../../kernel/index.ts';

/** Rows that one call takes or gives at most. */
export const PARKED_ROWS_MAX = 1_000;

/**
 * `conversion`: it could not be converted. `tooLarge`: its document is larger than a record of the topic may be. `rejected`:
 * the receiver refused its document. `operator`: by command.
 */
export const PARK_CAUSES = ['conversion', 'tooLarge', 'rejected', 'operator'] as const;
export type ParkCause = (typeof PARK_CAUSES)[number];

/** What is known of an offer that is to be parked. Never its view: a retry asks the offer store. */
export type Parking = {
  readonly offerId: OfferId;
  readonly cause: ParkCause;
  readonly reason: string;
  /** The version that must not be forgotten, 0 if it is not known. An older answer of the offer store is not taken. */
  readonly versionUs: number;
  readonly atMs: number;
  readonly retryAtMs: number;
};
export type ParkedOffer = {
  readonly offerId: OfferId;
  readonly cause: ParkCause;
  readonly reason: string;
  readonly versionUs: number;
  readonly sinceMs: number;
  readonly retryAtMs: number;
  /** Retries that failed. */
  readonly attempts: number;
  /** Its documents were written again, and were not refused since. */
  readonly sent: boolean;
  /** Grows with every change. */
  readonly revision: number;
};
/** What a retry changes. */
export type ParkedChange = Pick<ParkedOffer, 'reason' | 'attempts' | 'retryAtMs' | 'sent'>;

/** Offers that are retried apart from their partition. */
export interface ParkingLot {
  /**
   * Adds offers, each once. One that is here keeps `sinceMs`, `attempts` and the higher version; the rest is replaced, it is not
   * `sent`, and its revision grows.
   */
  park(offers: readonly Parking[]): ResultAsync<void, Unavailable>;
  find(ids: readonly OfferId[]): ResultAsync<readonly ParkedOffer[], Unavailable>;
  /** Offers whose retry is due, the longest due first. */
  due(nowMs: number, limit: number): ResultAsync<readonly ParkedOffer[], Unavailable>;
  /** By id, behind `after`. */
  list(after: string, limit: number): ResultAsync<readonly ParkedOffer[], Unavailable>;
  /** Changes the offer, or removes it, if its revision is still this one. Tells whether it did. */
  settle(id: OfferId, revision: number, change: ParkedChange | undefined): ResultAsync<boolean, Unavailable>;
  count(): ResultAsync<number, Unavailable>;
}
