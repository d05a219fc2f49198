import type { Money, OfferView } from '../../gost/index.ts';

/** What a list shows of an offer. It has no contacts. */
export type OfferCard = {
  readonly title: string;
  readonly price: Money | undefined;
  readonly category: string;
  /** The picture to show first, of those that are ready. */
  readonly coverId: string | undefined;
  readonly photos: number;
  readonly address: string | undefined;
  readonly geoId: string | undefined;
  readonly publishedAtMs: number;
  readonly seller: string;
};

const ADDRESS_CHARS_MAX = 200;

export const cardOf = (view: OfferView): OfferCard => {
  const ready = view.photos.flatMap(({ outcome }) => (outcome?.kind === 'ready' ? [outcome.imageId] : []));
  return {
    title: view.title,
    price: view.price,
    category: view.category,
    coverId: ready[0],
    photos: ready.length,
    address: view.place.address?.slice(0, ADDRESS_CHARS_MAX),
    geoId: view.geo?.geoId,
    publishedAtMs: Math.floor(view.createdAtUs / 1_000),
    seller: view.seller,
  };
};
