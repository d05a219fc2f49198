import type { ResultAsync } from 'neverthrow';
import { xxh64, type Unavailable } from '../../kernel/index.ts';
import type { Offer, SellerId } from '../domain/offer.ts';
import type { OfferId } from '../domain/offer-id.ts';

/** Hashes of ids are whole numbers below this: ranges of them part all offers evenly, whoever made the ids. */
export const ID_HASHES = 2 ** 32;
/** Stored: it never changes. */
export const idHashOf = (id: OfferId): number => Number(xxh64(id) >> 32n);

export type ScanPlace = { readonly hash: number; readonly offerId: OfferId };
/** From `from` up to but not including `to`; after `after`, which may lie before `from`. */
export type ScanRange = { readonly from: number; readonly to: number; readonly after?: ScanPlace };

/** Offers for whoever must see each of them once: a new index, an audit. */
export interface OfferScan {
  /**
   * Those that are not removed, in the order of their ids' hashes, then of the ids, at most `limit` (and 1000). An offer that is there all the time
   * is seen once; one that comes or goes meanwhile is seen or not. `last` is where the next page begins, also when
   * removed ones were passed over; undefined at the end of the range.
   */
  scan(
    range: ScanRange,
    limit: number,
  ): ResultAsync<{ readonly offers: readonly Offer[]; readonly last: ScanPlace | undefined }, Unavailable>;
  /** All offers of a seller, removed ones too, in the order of their ids, after the one given, at most `limit` (and 1000). */
  ofSeller(
    seller: SellerId,
    page: { readonly after?: OfferId; readonly limit: number },
  ): ResultAsync<readonly Offer[], Unavailable>;
}
