import {
  offerStatus,
  type Contacts,
  type Geo,
  type Offer,
  type OfferContent,
  type SellerId,
} from './offer.ts';
import type { OfferId } from './offer-id.ts';
import { sellerTypeOf, type SellerType } from './seller-type.ts';

export type PublicImage = { readonly id: string; readonly width: number; readonly height: number };
/** What a buyer sees of an active offer: no contacts, no source, no addresses of pictures. */
export type PublicOffer = Omit<OfferContent, 'contacts' | 'photos'> & {
  readonly id: OfferId;
  readonly seller: SellerId;
  readonly sellerType: SellerType;
  readonly images: readonly PublicImage[];
  readonly geo: Geo | undefined;
  readonly createdAtUs: number;
  readonly updatedAtUs: number;
  readonly version: number;
};

const imagesOf = ({ content, images }: Offer): readonly PublicImage[] =>
  content.photos.flatMap((url) => {
    const outcome = images.find((image) => image.url === url)?.outcome;
    return outcome?.kind === 'ready'
      ? [{ id: outcome.imageId, width: outcome.width, height: outcome.height }]
      : [];
  });

/** Undefined if the offer is not active. Fields are named one by one, so that a new one never leaks by itself. */
export const publicOfferOf = (offer: Offer): PublicOffer | undefined => {
  if (offerStatus(offer) !== 'active') return undefined;
  const { category, attributes, title, description, price, place } = offer.content;
  return {
    id: offer.id,
    seller: offer.seller,
    sellerType: sellerTypeOf(offer),
    category,
    attributes,
    title,
    description,
    price,
    place,
    images: imagesOf(offer),
    geo: offer.geo,
    createdAtUs: offer.createdAtUs,
    updatedAtUs: offer.updatedAtUs,
    version: offer.version,
  };
};
/** Undefined if the offer is not active. */
export const publicContactsOf = (offer: Offer): Contacts | undefined =>
  offerStatus(offer) === 'active' ? offer.content.contacts : undefined;
