import type { Codec } from '@doska/core/kernel';
import type { OfferCard } from '@doska/core/search';
import { ok } from 'neverthrow';
import { OfferCard as PbCard } from '../generated/doska/search/v1/card.ts';
import { messageCodec } from '../message.codec.ts';

const optional = (text: string): string | undefined => (text === '' ? undefined : text);

export const cardToPb = (card: OfferCard): PbCard => ({
  title: card.title,
  price: card.price && {
    minorUnits: BigInt(card.price.minorUnits),
    currency: card.price.currency,
  },
  categoryId: card.category,
  coverId: card.coverId ?? '',
  photos: card.photos,
  address: card.address ?? '',
  geoId: card.geoId ?? '',
  publishedAtMs: BigInt(card.publishedAtMs),
  sellerId: card.seller,
});
const cardFromPb = (pb: PbCard): OfferCard => ({
  title: pb.title,
  price: pb.price && { minorUnits: Number(pb.price.minorUnits), currency: pb.price.currency },
  category: pb.categoryId,
  coverId: optional(pb.coverId),
  photos: pb.photos,
  address: optional(pb.address),
  geoId: optional(pb.geoId),
  publishedAtMs: Number(pb.publishedAtMs),
  seller: pb.sellerId,
});

/** The payload of an offer's document. */
export const cardCodec: Codec<OfferCard> = messageCodec('offer card', PbCard, cardToPb, (pb) =>
  ok(cardFromPb(pb)),
);
