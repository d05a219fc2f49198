import type { ResultAsync } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import type { Unavailable } from '../../kernel/index.ts';

/** `epochMs` is the load that the rates come from, 0 before the first load. Offers without a rate are not in `rates`. */
export type CurrentRates = { readonly epochMs: number; readonly rates: ReadonlyMap<OfferId, number> };

/** Click rates of the current load. */
export interface ClickRates {
  /** Reads the current load and the rates of these offers anew. */
  of(ids: readonly OfferId[]): ResultAsync<CurrentRates, Unavailable>;
}
