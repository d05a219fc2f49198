import type { ResultAsync } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import type { Unavailable } from '../../kernel/index.ts';

/** Rows that one call takes or gives at most. */
export const COUNT_ROWS_MAX = 1_000;

/** An offer that an answer showed at this moment. */
export type ShownOffer = {
  readonly queryId: string;
  readonly shownAtMs: number;
  readonly offerId: OfferId;
  readonly isClicked: boolean;
};
export type OfferCounts = {
  readonly offerId: OfferId;
  readonly impressions: number;
  readonly clicks: number;
};
/** Hours since 1970; `to` is not among them. */
export type Hours = { readonly from: number; readonly to: number };

/** Impressions and clicks of offers by the hour in which they were shown. */
export interface ClickCountStore {
  /**
   * Counts offers that were shown. An offer of an answer is one impression and at most one click, however often it comes: a click
   * without an impression counts as both. Each offer of an answer once in a call. Repeating a call changes nothing.
   */
  count(shown: readonly ShownOffer[]): ResultAsync<void, Unavailable>;
  /** Which of these hours have counts, in ascending order. */
  hours(hours: Hours): ResultAsync<readonly number[], Unavailable>;
  /** The sums of these hours by offer, in the order of the ids, behind `after`. */
  sums(
    hours: Hours,
    after: OfferId | undefined,
    limit: number,
  ): ResultAsync<readonly OfferCounts[], Unavailable>;
  /** Forgets what answers before this moment showed; the counts stay. Returns how many rows, at most `limit`. */
  forget(beforeMs: number, limit: number): ResultAsync<number, Unavailable>;
  /** Deletes counts of hours before this one. Returns how many rows, at most `limit`. */
  purge(beforeHour: number, limit: number): ResultAsync<number, Unavailable>;
}
