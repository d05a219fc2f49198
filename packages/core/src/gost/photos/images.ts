import type { Offer, OfferImage } from '../offer/offer.ts';

/** Images of pictures that the offer still names, in no order of their own. The same list when nothing is gone. */
export const imagesOf = ({ content, images }: Pick<Offer, 'content' | 'images'>): readonly OfferImage[] => {
  if (images.length === 0) return images;
  const named = new Set(content.photos);
  return images.every(({ url }) => named.has(url)) ? images : images.filter(({ url }) => named.has(url));
};

type Naming = Pick<Offer, 'content'>;
const namedOnlyBy = (one: Naming | undefined, other: Naming | undefined): readonly string[] => {
  if (!one || one.content === other?.content) return [];
  const known = new Set(other?.content.photos);
  return one.content.photos.filter((url) => !known.has(url));
};
/** Photos that are not requested yet: those that the offer did not name before. */
export const newPhotos = (before: Naming | undefined, after: Naming): readonly string[] =>
  namedOnlyBy(after, before);
/** Photos that the offer names no more. */
export const releasedPhotos = (before: Naming | undefined, after: Naming): readonly string[] =>
  namedOnlyBy(before, after);
