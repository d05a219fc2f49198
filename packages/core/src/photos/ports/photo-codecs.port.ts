import type { BlobHash, Codec, Kept } from '../../kernel/index.ts';
import type { OfferUses } from '../domain/offer-uses.ts';
import type { PhotoRequest, PhotoResult, PhotoSize } from '../domain/photo.ts';
import type { RememberedPhoto } from '../domain/remembered.ts';

/** The renditions of a picture: the blob whose hash is the image's id. */
export type ImageManifest = {
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  readonly renditions: readonly (PhotoSize & { readonly blob: BlobHash; readonly bytes: number })[];
};

export type PhotoCodecs = {
  readonly request: Codec<PhotoRequest>;
  readonly result: Codec<PhotoResult>;
  readonly manifest: Codec<ImageManifest>;
  readonly remembered: Codec<RememberedPhoto>;
  readonly kept: Codec<Kept>;
  readonly uses: Codec<OfferUses>;
};
