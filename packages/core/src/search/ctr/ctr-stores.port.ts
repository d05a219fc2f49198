import type { ResultAsync } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import type { Unavailable } from '../../kernel/index.ts';
import type { OfferRate } from './table-rows.ts';

/** Rows that one call takes or gives at most. */
export const CTR_ROWS_MAX = 1_000;

/** Click rates by load: each load has an epoch of its own. */
export interface ClickRateStore {
  /** Adds rates to an epoch; a rate that is there is replaced. Each offer once. */
  put(epochMs: number, rates: readonly OfferRate[]): ResultAsync<void, Unavailable>;
  /** The rates that these offers have in the epoch. */
  rates(epochMs: number, ids: readonly OfferId[]): ResultAsync<ReadonlyMap<OfferId, number>, Unavailable>;
  /** How many offers have a rate in the epoch. */
  count(epochMs: number): ResultAsync<number, Unavailable>;
  /** The lowest epoch above this one that has rates. */
  nextEpoch(afterMs: number): ResultAsync<number | undefined, Unavailable>;
  /** Deletes rates of the epoch, at most `limit`. Returns how many. */
  purge(epochMs: number, limit: number): ResultAsync<number, Unavailable>;
}

/** An offer that an hourly table named. The same offer in two tables is two elements. */
export type QueuedOffer = { readonly table: string; readonly offerId: OfferId };

/** Offers that wait to be sent to the index again. */
export interface CtrQueue {
  /** Adds offers of a table. One that waits already stays as it is. */
  add(table: string, ids: readonly OfferId[]): ResultAsync<void, Unavailable>;
  /** Elements behind `after`, in a fixed order that begins with the table's name. */
  next(after: QueuedOffer | undefined, limit: number): ResultAsync<readonly QueuedOffer[], Unavailable>;
  /** Removes exactly these elements. The same offer of another table stays. */
  remove(elements: readonly QueuedOffer[]): ResultAsync<void, Unavailable>;
  count(): ResultAsync<number, Unavailable>;
}
export type CtrStores = { readonly rates: ClickRateStore; readonly queue: CtrQueue };
