import type { ResultAsync } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import type { Unavailable } from '../../kernel/index.ts';

/** `epochMs` is the load that the rate comes from, 0 before the first load. */
export type ClickRate = { readonly ctr: number | undefined; readonly epochMs: number };

/** Click rates of the current load. */
export interface ClickRates {
  of(id: OfferId): ResultAsync<ClickRate, Unavailable>;
}
