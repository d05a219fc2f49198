import type { AttributeId, CategoryId } from '@doska/core/catalog';
import {
  sellerTypeOf,
  type AttributeValue,
  type Geo,
  type Money,
  type OfferAttribute,
  type OfferId,
  type OfferImage,
  type OfferText,
  type OfferView,
  type PhotoView,
  type Place,
  type PublicOffer,
  type SellerId,
  type SellerType,
  type Status,
} from '@doska/core/gost';
import type { Malformed } from '@doska/core/kernel';
import { err, ok, Result } from 'neverthrow';
import { enumTable } from '../enum-table.mapper.ts';
import {
  OfferStatus,
  SellerType as PbSellerType,
  type AttributeValue as PbValue,
  type Geo as PbGeo,
  type Money as PbMoney,
  type OfferAttribute as PbAttribute,
  type OfferText as PbText,
  type OfferView as PbView,
  type Photo as PbPhoto,
  type Place as PbPlace,
} from '../generated/doska/gost/v1/offer.ts';
import type { PublicOffer as PbPublicOffer } from '../generated/doska/gost/v1/public_offer_service.ts';

export const statuses = enumTable<Status>({
  active: OfferStatus.OFFER_STATUS_ACTIVE,
  hidden: OfferStatus.OFFER_STATUS_HIDDEN,
  expired: OfferStatus.OFFER_STATUS_EXPIRED,
  sold: OfferStatus.OFFER_STATUS_SOLD,
  removed: OfferStatus.OFFER_STATUS_REMOVED,
  banned: OfferStatus.OFFER_STATUS_BANNED,
});
const malformed = (field: string): Malformed => ({ kind: 'Malformed', what: 'offer', field });

export const moneyToPb = ({ minorUnits, currency }: Money): PbMoney => ({
  minorUnits: BigInt(minorUnits),
  currency,
});
export const moneyFromPb = ({ minorUnits, currency }: PbMoney): Money => ({
  minorUnits: Number(minorUnits),
  currency,
});

const valueToPb = (value: AttributeValue): PbValue => {
  if (typeof value === 'string') return { value: { $case: 'text', value } };
  if (typeof value === 'number') return { value: { $case: 'number', value } };
  return { value: { $case: 'flag', value } };
};
const attributeToPb = ({ attribute, values }: OfferAttribute): PbAttribute => ({
  attributeId: attribute,
  values: values.map(valueToPb),
});
/** A value of a kind that this version does not know is an error with its place, not a crash and not a loss. */
const attributesFromPb = (attributes: readonly PbAttribute[]): Result<OfferAttribute[], Malformed> =>
  Result.combine(
    attributes.map(({ attributeId, values }, i) =>
      Result.combine(
        values.map(({ value }, j): Result<AttributeValue, Malformed> =>
          value ? ok(value.value) : err(malformed(`attributes[${i}].values[${j}]`)),
        ),
      ).map((known): OfferAttribute => ({ attribute: attributeId as AttributeId, values: known })),
    ),
  );

const placeToPb = ({ address, point }: Place): PbPlace => ({ address, point: point && { ...point } });
const placeFromPb = (place: PbPlace | undefined): Place => ({
  address: place?.address,
  point: place?.point && { latitude: place.point.latitude, longitude: place.point.longitude },
});
export const geoToPb = ({ geoId, district, metro }: Geo): PbGeo => ({ geoId, district, metro: [...metro] });
export const geoFromPb = ({ geoId, district, metro }: PbGeo): Geo => ({ geoId, district, metro });

export const photoToPb = ({ url, outcome }: PhotoView): PbPhoto => {
  if (!outcome) return { url, outcome };
  if (outcome.kind === 'failed') return { url, outcome: { $case: 'failure', value: outcome.reason } };
  const { imageId: id, width, height } = outcome;
  return { url, outcome: { $case: 'image', value: { id, width, height } } };
};
const outcomeFromPb = ({ outcome }: PbPhoto): OfferImage['outcome'] | undefined => {
  if (!outcome) return undefined;
  if (outcome.$case === 'failure') return { kind: 'failed', reason: outcome.value };
  const { id: imageId, width, height } = outcome.value;
  return { kind: 'ready', imageId, width, height };
};
export const photoFromPb = (photo: PbPhoto): PhotoView => ({ url: photo.url, outcome: outcomeFromPb(photo) });

export const textToPb = (text: OfferText): PbText => ({
  attributes: text.attributes.map(attributeToPb),
  title: text.title,
  description: text.description,
  price: text.price && moneyToPb(text.price),
  photos: [...text.photos],
  place: placeToPb(text.place),
  contacts: { ...text.contacts },
});
export const textFromPb = (text: PbText): Result<OfferText, Malformed> =>
  attributesFromPb(text.attributes).map((attributes) => ({
    attributes,
    title: text.title,
    description: text.description,
    price: text.price && moneyFromPb(text.price),
    photos: text.photos,
    place: placeFromPb(text.place),
    contacts: {
      name: text.contacts?.name,
      phone: text.contacts?.phone,
      email: text.contacts?.email,
    },
  }));

const sellerTypes = enumTable<SellerType>({
  private: PbSellerType.SELLER_TYPE_PRIVATE,
  company: PbSellerType.SELLER_TYPE_COMPANY,
});
/** Records of older releases have none. */
const sellerTypeFromPb = ({ sellerType, source }: PbView): SellerType | undefined =>
  sellerType === PbSellerType.SELLER_TYPE_UNSPECIFIED
    ? sellerTypeOf({ source })
    : sellerTypes.fromPb(sellerType);
export const viewToPb = (view: OfferView): PbView => ({
  id: view.id,
  sellerId: view.seller,
  source: view.source && { ...view.source },
  status: statuses.toPb(view.status) as OfferStatus,
  banReasons: [...view.reasons],
  categoryId: view.category,
  attributes: view.attributes.map(attributeToPb),
  title: view.title,
  description: view.description,
  price: view.price && moneyToPb(view.price),
  photos: view.photos.map(photoToPb),
  place: placeToPb(view.place),
  geo: view.geo && geoToPb(view.geo),
  createdAtUs: BigInt(view.createdAtUs),
  updatedAtUs: BigInt(view.updatedAtUs),
  expiresAtUs: view.expiresAtUs === undefined ? undefined : BigInt(view.expiresAtUs),
  version: BigInt(view.version),
  catalogVersion: BigInt(view.catalogVersion),
  sellerType: sellerTypes.toPb(view.sellerType) as PbSellerType,
});
export const publicOfferToPb = (offer: PublicOffer): PbPublicOffer => ({
  id: offer.id,
  sellerId: offer.seller,
  sellerType: sellerTypes.toPb(offer.sellerType) as PbSellerType,
  categoryId: offer.category,
  attributes: offer.attributes.map(attributeToPb),
  title: offer.title,
  description: offer.description,
  price: offer.price && moneyToPb(offer.price),
  images: offer.images.map((image) => ({ ...image })),
  place: placeToPb(offer.place),
  geo: offer.geo && geoToPb(offer.geo),
  createdAtUs: BigInt(offer.createdAtUs),
  updatedAtUs: BigInt(offer.updatedAtUs),
  version: BigInt(offer.version),
});
export const viewFromPb = (view: PbView): Result<OfferView, Malformed> => {
  const status = statuses.fromPb(view.status);
  if (!status) return err(malformed('status'));
  if (view.id === '') return err(malformed('id'));
  const sellerType = sellerTypeFromPb(view);
  if (!sellerType) return err(malformed('seller_type'));
  return attributesFromPb(view.attributes).map((attributes) => ({
    id: view.id as OfferId,
    seller: view.sellerId as SellerId,
    sellerType,
    source: view.source && { namespace: view.source.namespace, externalId: view.source.externalId },
    status,
    reasons: view.banReasons,
    category: view.categoryId as CategoryId,
    attributes,
    title: view.title,
    description: view.description,
    price: view.price && moneyFromPb(view.price),
    photos: view.photos.map(photoFromPb),
    place: placeFromPb(view.place),
    geo: view.geo && geoFromPb(view.geo),
    createdAtUs: Number(view.createdAtUs),
    updatedAtUs: Number(view.updatedAtUs),
    expiresAtUs: view.expiresAtUs === undefined ? undefined : Number(view.expiresAtUs),
    version: Number(view.version),
    catalogVersion: Number(view.catalogVersion),
  }));
};
