import {
  offerStatus,
  type Geo,
  type Offer,
  type OfferContent,
  type OfferImage,
  type OfferSource,
  type SellerId,
} from './offer.ts';
import type { OfferId } from './offer-id.ts';
import { sellerTypeOf, type SellerType } from './seller-type.ts';
import type { Status } from './status.ts';

/** A picture that the seller named, with what became of it so far. */
export type PhotoView = { readonly url: string; readonly outcome: OfferImage['outcome'] | undefined };
/** What every other system sees of an offer: the value of `gost-offer-updates`. Contacts are not in it. */
export type OfferView = Omit<OfferContent, 'contacts' | 'photos'> & {
  readonly id: OfferId;
  readonly seller: SellerId;
  readonly sellerType: SellerType;
  readonly source: OfferSource | undefined;
  readonly status: Status;
  readonly reasons: readonly string[];
  readonly photos: readonly PhotoView[];
  readonly geo: Geo | undefined;
  readonly createdAtUs: number;
  readonly updatedAtUs: number;
  readonly expiresAtUs: number | undefined;
  readonly version: number;
  readonly catalogVersion: number;
};

const photosOf = ({ content, images }: Offer): readonly PhotoView[] =>
  content.photos.map((url) => ({ url, outcome: images.find((image) => image.url === url)?.outcome }));

/** Fields are named one by one, so that a new one of the record never leaks by itself. */
export const viewOf = (offer: Offer): OfferView => ({
  id: offer.id,
  seller: offer.seller,
  sellerType: sellerTypeOf(offer),
  source: offer.source,
  status: offerStatus(offer),
  reasons: offer.ban?.reasons ?? [],
  category: offer.content.category,
  attributes: offer.content.attributes,
  title: offer.content.title,
  description: offer.content.description,
  price: offer.content.price,
  photos: photosOf(offer),
  place: offer.content.place,
  geo: offer.geo,
  createdAtUs: offer.createdAtUs,
  updatedAtUs: offer.updatedAtUs,
  expiresAtUs: offer.expiresAtUs,
  version: offer.version,
  catalogVersion: offer.catalogVersion,
});
