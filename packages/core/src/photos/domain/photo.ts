import type { BlobHash } from '../../kernel/index.ts';

/**
 * What names a picture in addresses and in offers: the hash of the list of its renditions. The same picture, made by the
 * same processor, has the same id, whichever offer names it and however often.
 */
export type ImageId = BlobHash;

/** A picture in one of the sizes that are served. A picture smaller than its size keeps its own. */
export type PhotoSize = {
  /** As in the address `/photos/<image id>/<size>`. */
  readonly size: number;
  readonly width: number;
  readonly height: number;
};

/** Stable words: they are stored, counted and shown. */
export const PHOTO_FAILURES = [
  'bad-url',
  'forbidden-address',
  'unreachable',
  'timed-out',
  'not-found',
  'refused',
  'too-many-redirects',
  'too-large',
  'not-a-picture',
  'too-many-pixels',
  'too-complex',
] as const;
export type PhotoFailureCode = (typeof PHOTO_FAILURES)[number];
export type PhotoFailure = {
  readonly code: PhotoFailureCode;
  /** For the seller's eyes: what to do about it, nothing of our network. */
  readonly message: string;
  /** Asking again is no use while the picture at the address stays what it is. */
  readonly permanent: boolean;
};

export type PhotoOutcome =
  | {
      readonly kind: 'ready';
      readonly imageId: ImageId;
      /** Of the picture itself, as a viewer sees it. */
      readonly width: number;
      readonly height: number;
      /** The smallest first. */
      readonly sizes: readonly PhotoSize[];
    }
  | ({ readonly kind: 'failed' } & PhotoFailure);
export type Photo = { readonly url: string; readonly outcome: PhotoOutcome };

export const PHOTO_REQUESTS = 'photo-requests';
export const PHOTO_RESULTS = 'photo-results';
/** Both topics are keyed by the offer's id: the answers of an offer come in the order of its requests. */
export type PhotoRequest = {
  readonly offerId: string;
  /** What the offer names from now on. */
  readonly urls: readonly string[];
  /** What it named until now. `all`: its seller was erased, and nothing may be left that tells what it was. */
  readonly released: readonly string[] | 'all';
  /** Grows with every request of the offer: an older one never undoes what a newer one said. */
  readonly atUs: number;
};
/** An answer to all of a request: every URL once, in the order of the request, but for those that were released meanwhile. */
export type PhotoResult = { readonly offerId: string; readonly photos: readonly Photo[] };

/** What one record may ask for; more is malformed. */
export const PHOTO_URLS_MAX = 100;
/** The longest address of a picture, in UTF-16 units. An answer repeats every address, so all of them must fit a record. */
export const PHOTO_URL_CHARS_MAX = 2_000;
/** The place of the first address that is too long, or -1. */
export const findLongUrl = (urls: readonly string[]): number =>
  urls.findIndex((url) => url.length > PHOTO_URL_CHARS_MAX);
