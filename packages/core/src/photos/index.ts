// The door.
export {
  defaultPhotosSettings,
  openPhotos,
  type PhotoPorts,
  type Photos,
  type PhotosSettings,
} from './open-photos.ts';

// Messages of topics.
export {
  PHOTO_FAILURES,
  PHOTO_REQUESTS,
  PHOTO_RESULTS,
  findLongUrl,
  PHOTO_URL_CHARS_MAX,
  PHOTO_URLS_MAX,
  type ImageId,
  type Photo,
  type PhotoFailure,
  type PhotoFailureCode,
  type PhotoOutcome,
  type PhotoRequest,
  type PhotoResult,
  type PhotoSize,
} from './domain/photo.ts';

// What the use cases return, and their errors.
export type { StoredRendition, UnknownPhoto } from './use-cases/image-store.ts';
export type { ImageError } from './domain/failure.ts';

// The ports that a process brings, and the records that its codecs write.
export type {
  ImageProcessor,
  RenderedImage,
  Rendition,
  RenderOptions,
} from './ports/image-processor.port.ts';
export type { ImageManifest, PhotoCodecs } from './ports/photo-codecs.port.ts';
export type { OfferUses, PhotoUse } from './domain/offer-uses.ts';
export type { RememberedPhoto } from './domain/remembered.ts';
