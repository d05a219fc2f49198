export {
  failureOf,
  isTransient,
  type ImageError,
  type NotAPicture,
  type TooComplex,
  type TooManyPixels,
} from './domain/failure.ts';
export {
  PHOTO_FAILURES,
  PHOTO_REQUESTS,
  PHOTO_RESULTS,
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
export { SETTLE_MS, type Kept, type Leaving } from './domain/kept.ts';
export { type OfferUses, type PhotoUse } from './domain/offer-uses.ts';
export { type MemorySettings, type RememberedPhoto } from './domain/remembered.ts';
export {
  type ImageProcessor,
  type RenderedImage,
  type Rendition,
  type RenderOptions,
} from './ports/image-processor.port.ts';
export { type ImageManifest, type PhotoCodecs } from './ports/photo-codecs.port.ts';
export { answerPhotoRequests } from './use-cases/answer-photo-requests.ts';
export {
  defaultPhotoSettings,
  makeHandlePhotoRequest,
  type HandlePhotoRequest,
  type PhotoSettings,
} from './use-cases/handle-photo-request.ts';
export { makeForgetPhotos, type ForgetPhotos, type ForgetPhotosNeeds } from './use-cases/forget-photos.ts';
export {
  makeImageStore,
  type ImageStore,
  type PreparedImage,
  type StoredRendition,
  type UnknownPhoto,
} from './use-cases/image-store.ts';
export { makeKeeping, type Keeping } from './use-cases/keeping.ts';
export { makePhotoMemory, type PhotoMemory } from './use-cases/photo-memory.ts';
export { makePhotoMetrics, type PhotoMetrics } from './use-cases/photo-metrics.ts';
export { makePhotoUses, type OfferLedger, type PhotoUses } from './use-cases/photo-uses.ts';
export { makeUnusedQueue, type Unused, type UnusedQueue } from './use-cases/unused.ts';
