import { offerStatus, type Offer, type OfferContent, type OfferSource, type SellerId } from './offer.ts';
import type { OfferId } from './offer-id.ts';
import type { Status } from './status.ts';

/** What every other system sees of an offer: the value of `gost-offer-updates`. Contacts are not in it. */
export type OfferView = Omit<OfferContent, 'contacts'> & {
  readonly id: OfferId;
  readonly seller: SellerId;
  readonly source: OfferSource | undefined;
  readonly status: Status;
  readonly reasons: readonly string[];
  readonly createdAtUs: number;
  readonly updatedAtUs: number;
  readonly expiresAtUs: number | undefined;
  readonly version: number;
  readonly catalogVersion: number;
};

/** Fields are named one by one, so that a new one of the record never leaks by itself. */
export const viewOf = (offer: Offer): OfferView => ({
  id: offer.id,
  seller: offer.seller,
  source: offer.source,
  status: offerStatus(offer),
  reasons: offer.ban?.reasons ?? [],
  category: offer.content.category,
  attributes: offer.content.attributes,
  title: offer.content.title,
  description: offer.content.description,
  price: offer.content.price,
  photos: offer.content.photos,
  place: offer.content.place,
  createdAtUs: offer.createdAtUs,
  updatedAtUs: offer.updatedAtUs,
  expiresAtUs: offer.expiresAtUs,
  version: offer.version,
  catalogVersion: offer.catalogVersion,
});
