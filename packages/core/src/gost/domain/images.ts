import type { Offer, OfferImage } from './offer.ts';

/** Images of pictures that the offer still names, in no order of their own. The same list when nothing is gone. */
export const imagesOf = ({ content, images }: Pick<Offer, 'content' | 'images'>): readonly OfferImage[] => {
  const named = new Set(content.photos);
  return images.every(({ url }) => named.has(url)) ? images : images.filter(({ url }) => named.has(url));
};

/** Pictures that nobody was asked about yet: those that the offer did not name before. */
export const newPhotos = (before: Offer | undefined, after: Pick<Offer, 'content'>): readonly string[] => {
  if (before?.content === after.content) return [];
  const known = new Set(before?.content.photos);
  return after.content.photos.filter((url) => !known.has(url));
};
