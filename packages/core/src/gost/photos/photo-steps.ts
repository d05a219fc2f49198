import type { AttachPhotos } from '../offer/command.ts';
import type { Offer, OfferImage } from '../offer/offer.ts';
import type { Step } from '../offer/step.ts';

const sameImage = (a: OfferImage | undefined, b: OfferImage): boolean =>
  a !== undefined && JSON.stringify(a.outcome) === JSON.stringify(b.outcome);

/** An answer about pictures: only what the offer still names, and only what is news. No echo: the same again is nothing. */
export const attachPhotos = (offer: Offer, { photos }: AttachPhotos): Step | undefined => {
  const named = new Set(offer.content.photos);
  const byUrl = new Map(offer.images.map((image) => [image.url, image]));
  const news = photos.filter((photo) => named.has(photo.url) && !sameImage(byUrl.get(photo.url), photo));
  if (news.length === 0) return undefined;
  for (const photo of news) byUrl.set(photo.url, photo);
  return { next: { ...offer, images: [...byUrl.values()] } };
};
