import { memoryKey } from './remembered.ts';
import type { ImageId, PhotoRequest } from './photo.ts';

/** A picture that an offer names. */
export type PhotoUse = {
  readonly urlKey: string;
  /** Of the request that named it first. */
  readonly atUs: number;
  /** Undefined while the picture is not downloaded, or if it can't be. */
  readonly imageId: ImageId | undefined;
};
/** What an offer names, as its newest request says. Nothing is said too: it tells that older requests are over. */
export type OfferUses = {
  readonly atUs: number;
  readonly uses: readonly PhotoUse[];
  /** Pictures that are not used any more and not noted as unused yet. */
  readonly gone: readonly PhotoUse[];
};

export const noUses: OfferUses = { atUs: 0, uses: [], gone: [] };
const pictured = (uses: readonly PhotoUse[]): readonly PhotoUse[] =>
  uses.filter(({ imageId }) => imageId !== undefined);

/** Delivered after a newer one: what it says is known, or is over. */
export const isLate = ({ atUs }: OfferUses, request: Pick<PhotoRequest, 'atUs'>): boolean =>
  request.atUs < atUs;

/** What the offer names after a request. The same uses when the request is late, or says nothing new. */
export const usesAfter = (
  before: OfferUses,
  request: Pick<PhotoRequest, 'urls' | 'released' | 'atUs'>,
): OfferUses => {
  if (isLate(before, request)) return before;
  const named = new Set(request.urls.map(memoryKey));
  const released = request.released === 'all' ? undefined : new Set(request.released.map(memoryKey));
  const isGone = ({ urlKey }: PhotoUse): boolean => (released?.has(urlKey) ?? true) && !named.has(urlKey);
  const gone = before.uses.filter(isGone);
  const known = new Set(before.uses.map(({ urlKey }) => urlKey));
  const added = [...named]
    .filter((urlKey) => !known.has(urlKey))
    .map((urlKey) => ({ urlKey, atUs: request.atUs, imageId: undefined }));
  if (request.atUs === before.atUs && gone.length + added.length === 0) return before;
  return {
    atUs: request.atUs,
    uses: [...before.uses.filter((use) => !isGone(use)), ...added],
    gone: [...before.gone, ...pictured(gone)],
  };
};
export const useOf = ({ uses }: OfferUses, url: string): PhotoUse | undefined => {
  const urlKey = memoryKey(url);
  return uses.find((use) => use.urlKey === urlKey);
};
/** The URL is this picture now; what it was before is gone. */
export const withImage = (before: OfferUses, use: PhotoUse, imageId: ImageId): OfferUses => ({
  ...before,
  uses: before.uses.map((one) => (one.urlKey === use.urlKey ? { ...one, imageId } : one)),
  gone: [...before.gone, ...pictured([use])],
});

/** Whose hold on a picture a use is. No two uses share one: what lets go of an old use can't meet a new one. */
export const holderOf = (offerId: string, { urlKey, atUs }: PhotoUse): string =>
  `${offerId}/${urlKey}/${atUs}`;
export const offerOfHolder = (holder: string): string => holder.split('/').slice(0, -2).join('/');
