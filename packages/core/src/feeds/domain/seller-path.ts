import type { FeedFormat } from './feed.ts';

/** Where the seller finds a field of an offer in our XML. */
const XML: Readonly<Record<string, string>> = {
  external_id: 'offer/@id',
  title: 'offer/title',
  description: 'offer/description',
  category: 'offer/category',
  price: 'offer/price',
  'price.currency': 'offer/price/@currency',
  photos: 'offer/photos',
  'place.address': 'offer/place/address',
  'place.latitude': 'offer/place/latitude',
  'place.longitude': 'offer/place/longitude',
  contacts: 'offer/contacts',
  'contacts.name': 'offer/contacts/name',
  'contacts.phone': 'offer/contacts/phone',
  'contacts.email': 'offer/contacts/email',
  text: 'offer',
  offer: 'offer',
};
const PHOTO = /^photos\[(\d+)\]$/;
const ATTRIBUTE = /^attributes\.(.+)$/;

/** A path of the offer store as the seller's own tag. Paths that the feed processor made are the seller's own already. */
export const sellerPath = (format: FeedFormat, path: string): string => {
  if (format === 'doska-json') return path;
  const photo = PHOTO.exec(path)?.[1];
  if (photo !== undefined) return `offer/photos/photo[${Number(photo) + 1}]`;
  const attribute = ATTRIBUTE.exec(path)?.[1];
  if (attribute !== undefined) return `offer/attributes/attribute[@name="${attribute}"]`;
  return Object.hasOwn(XML, path) ? XML[path]! : path;
};
