export { type Brand } from './brand.ts';
export { invalidInput, unavailable, unreachable, type InvalidInput, type Unavailable, type Violation } from './errors.ts';
export { addressGroup, clientAddress } from './client-address.ts';
export { makeGate, type Gate, type Knock, type NotAdmitted } from './gate.ts';
export { rateLimiter, type RateLimiter } from './rate-limit.ts';
export {
  BLOB_PAGE_MAX,
  blobArea,
  blobHash,
  resolveRange,
  type BlobArea,
  type BlobHash,
  type BlobName,
  type BlobNotFound,
  type BlobRange,
  type BlobRef,
  type BlobSourceFailed,
  type BlobStore,
  type BlobTooLarge,
  type InvalidRange,
} from './ports/blob-store.port.ts';
export {
  allows,
  formatRole,
  isRateLimited,
  isSeller,
  mayPublish,
  nobody,
  parseRole,
  type Access,
  type Authenticator,
  type Caller,
  type InvalidRole,
  type PermissionDenied,
  type Role,
  type RoleName,
  type TooManyRequests,
  type Unauthenticated,
} from './ports/caller.port.ts';
export { sleep, type Cancel, type Clock } from './ports/clock.port.ts';
export { type Codec, type Malformed } from './ports/codec.port.ts';
export { type Ids } from './ports/ids.port.ts';
export { type Random } from './ports/random.port.ts';
export { type Signer } from './ports/signer.port.ts';
export {
  silentTelemetry,
  type Counter,
  type Fields,
  type Gauge,
  type Histogram,
  type Labels,
  type Logger,
  type Metrics,
  type MetricSpec,
  type Telemetry,
  type TraceContext,
  type Tracer,
} from './ports/telemetry.port.ts';
