import type { ResultAsync } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import type { Unavailable } from '../../kernel/index.ts';

/** Offers without a rate are not in `rates`. */
export type CurrentRates = {
  readonly rates: ReadonlyMap<OfferId, number>;
  /** Documents with these rates are composed no earlier than this, 0 before the first load, */
  readonly fromMs: number;
  /** and no later than this. So they are older than every document with the rates of a later load. */
  readonly untilMs: number;
};

/** Click rates of the current load. */
export interface ClickRates {
  /** Reads the current load and the rates of these offers anew, for documents that are composed about `aboutMs`. */
  of(ids: readonly OfferId[], aboutMs: number): ResultAsync<CurrentRates, Unavailable>;
}
