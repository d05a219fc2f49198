import type { ResultAsync } from 'neverthrow';
import type { OfferId, OfferView } from '../../gost/index.ts';
import type { InvalidInput, Unavailable } from '../../kernel/index.ts';

/** `next`: where the scan goes on; undefined at its end. */
export type OfferPage = { readonly views: readonly OfferView[]; readonly next: string | undefined };

/** The offer store as search sees it: views only, so no contacts. */
export interface OfferSource {
  /** Some offers that are not removed, in an order of its own. An empty cursor begins. */
  page(cursor: string): ResultAsync<OfferPage, InvalidInput | Unavailable>;
  /** The present views of these offers, at most 100. Offers that do not exist are left out. */
  find(ids: readonly OfferId[]): ResultAsync<ReadonlyMap<OfferId, OfferView>, Unavailable>;
}
