import type { ResultAsync } from 'neverthrow';
import { xxh64, type Unavailable } from '../../kernel/index.ts';
import type { Offer, SellerId } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';

/** A hash of an id is a whole number below this. Ranges of hashes divide all offers evenly. */
export const ID_HASHES = 2 ** 32;
/** The hash is stored with offers: its definition never changes. */
export const idHashOf = (id: OfferId): number => Number(xxh64(id) >> 32n);

export type ScanPlace = { readonly hash: number; readonly offerId: OfferId };
/** From `from` up to but not including `to`; after `after`, which may lie before `from`. */
export type ScanRange = { readonly from: number; readonly to: number; readonly after?: ScanPlace };

/** Reads every offer once, for a new index or an audit. */
export interface OfferScan {
  /**
   * Offers that are not removed, in the order of their ids' hashes, then ids, at most `limit` (and 1000). An offer that
   * exists during the whole scan is returned once; one that is added or removed meanwhile may be missing. The next page
   * begins after `last`, which also covers skipped removed offers; it is undefined at the end of the range.
   */
  scan(
    range: ScanRange,
    limit: number,
  ): ResultAsync<{ readonly offers: readonly Offer[]; readonly last: ScanPlace | undefined }, Unavailable>;
  /** All offers of a seller, removed ones too, in the order of their ids, after `after`, at most `limit` (and 1000). */
  ofSeller(
    seller: SellerId,
    page: { readonly after?: OfferId; readonly limit: number },
  ): ResultAsync<readonly Offer[], Unavailable>;
}
