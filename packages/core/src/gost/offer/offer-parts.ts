import type { Ban, Geo, Offer, OfferContent, OfferImage } from './offer.ts';

/**
 * An offer is stored as a head, which every change rewrites, and bodies of several kinds, each rewritten only by what
 * changes it: a photo that is ready costs no copy of a long description. The numbers are stored: they never change.
 */
export const KINDS = { content: 1, moderation: 2, images: 3 } as const;
export type OfferKind = keyof typeof KINDS;
/** The head stands beside the kinds, under a number that none of them has. */
export const HEAD_KIND = 0;

export type OfferBodies = {
  readonly content: { readonly content: OfferContent; readonly geo: Geo | undefined };
  readonly moderation: { readonly ban: Ban | undefined; readonly opinionVersion: number };
  readonly images: { readonly images: readonly OfferImage[] };
};
export type OfferHead = Omit<Offer, 'content' | 'geo' | 'ban' | 'opinionVersion' | 'images'>;
export type OfferParts = OfferBodies & { readonly head: OfferHead };

/** The empty bodies. They are not stored. */
export const noModeration: OfferBodies['moderation'] = { ban: undefined, opinionVersion: 0 };
export const noImages: OfferBodies['images'] = { images: [] };

/** Fields are named one by one, here and below: spread objects lose their shape, and every read and write is here. */
const headOf = (offer: OfferHead): OfferHead => ({
  id: offer.id,
  seller: offer.seller,
  source: offer.source,
  catalogVersion: offer.catalogVersion,
  lifecycle: offer.lifecycle,
  soldOnPlatform: offer.soldOnPlatform,
  createdAtUs: offer.createdAtUs,
  updatedAtUs: offer.updatedAtUs,
  expiresAtUs: offer.expiresAtUs,
  retiredAtUs: offer.retiredAtUs,
  version: offer.version,
  commands: offer.commands,
});
export const partsOf = (offer: Offer): OfferParts => ({
  head: headOf(offer),
  content: { content: offer.content, geo: offer.geo },
  moderation: { ban: offer.ban, opinionVersion: offer.opinionVersion },
  images: { images: offer.images },
});
export const joinParts = ({ head, content, moderation, images }: OfferParts): Offer => ({
  id: head.id,
  seller: head.seller,
  source: head.source,
  content: content.content,
  geo: content.geo,
  images: images.images,
  catalogVersion: head.catalogVersion,
  lifecycle: head.lifecycle,
  ban: moderation.ban,
  opinionVersion: moderation.opinionVersion,
  soldOnPlatform: head.soldOnPlatform,
  createdAtUs: head.createdAtUs,
  updatedAtUs: head.updatedAtUs,
  expiresAtUs: head.expiresAtUs,
  retiredAtUs: head.retiredAtUs,
  version: head.version,
  commands: head.commands,
});

/** The kinds that differ between two states of an offer. A decision keeps the very objects that it does not touch. */
export const changedKinds = (before: Offer | undefined, after: Offer): readonly OfferKind[] => {
  const said: Record<OfferKind, boolean> = {
    content: !before || before.content !== after.content || before.geo !== after.geo,
    moderation: (before?.opinionVersion ?? 0) !== after.opinionVersion || before?.ban !== after.ban,
    images:
      (before?.images ?? noImages.images) !== after.images &&
      (before !== undefined || after.images.length > 0),
  };
  return (Object.keys(KINDS) as OfferKind[]).filter((kind) => said[kind]);
};
