import type { ResultAsync } from 'neverthrow';
import type { OfferId, OfferView } from '../../gost/index.ts';
import type { Unavailable } from '../../kernel/index.ts';

/** The offer store as search sees it: views only, so no contacts. */
export interface OfferSource {
  /** The present views of these offers, at most 100. Offers that do not exist are left out. */
  find(ids: readonly OfferId[]): ResultAsync<ReadonlyMap<OfferId, OfferView>, Unavailable>;
}
