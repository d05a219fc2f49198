import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { ExpiryKey } from '../domain/offer-change.ts';

/** When active offers run out; moved by `OfferStore.commit`. */
export interface Expiry {
  /** Offers of the shard that run out at `nowUs` or before, the longest overdue first, at most `limit` (and 1000). */
  due(shard: number, nowUs: number, limit: number): ResultAsync<readonly ExpiryKey[], Unavailable>;
}
