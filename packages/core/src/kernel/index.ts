export { delayMs, retrying, type Backoff, type Retries } from './backoff.ts';
export { retryUntilAborted, type Aborted, type RetryUntilAborted } from './retry-until-aborted.ts';
export { fromBase64Url, toBase64Url } from './base64url.ts';
export { makeBatcher, type Batcher, type BatcherOptions } from './batcher.ts';
export { aborted, Signal } from './signal.ts';
export { mapBounded } from './bounded.ts';
export { type Brand } from './brand.ts';
export { addressGroup, clientAddress } from './client-address.ts';
export {
  invalidInput,
  invalidInputOf,
  unavailable,
  unreachable,
  type InvalidInput,
  type Unavailable,
  type Violation,
} from './errors.ts';
export { limitRepeats, REPEAT_LOG_MS } from './limit-repeats.ts';
export { isBlank, isLongerThan, isWellFormed, textViolations, type TextRules } from './text-rules.ts';
export { WHOLE_NUMBER_MAX, wholeNumber, wholeNumberViolations, type NumberBounds } from './whole-number.ts';
export { makeGate, type Gate, type AccessRequest, type NotAdmitted } from './gate.ts';
export {
  makePeriodicJobs,
  type JobContext,
  type JobFailed,
  type JobSpec,
  type JobStatus,
  type PeriodicJobs,
} from './jobs/periodic-jobs.ts';
export { makeKeeping, type Erasing, type Forgetting, type Keeping } from './keeping/keeping.ts';
export { SETTLE_MS, type Kept } from './keeping/kept.ts';
export {
  defaultLeaseTimes,
  type HeldLease,
  type Holding,
  type HoldOptions,
  type Lease,
  type LeaseAbort,
  type LeaseTimes,
  type ShardLeases,
  type ShardWork,
} from './leases/lease.ts';
export { shardGauge, type ShardGauge } from './leases/shard-gauge.ts';
export { makeShardLeases, type ShardLeasesNeeds } from './leases/shard-leases.ts';
export { admit, leaseEnded, recordBytes, type PartitionRecords } from './log/admission.ts';
export { isNews } from './log/applied.ts';
export {
  defaultConsumerSettings,
  subscribeToGroup,
  type ConsumerGroupNeeds,
  type ConsumerSettings,
} from './log/consumer-group.ts';
export {
  deadTopicOf,
  DEFAULT_ATTEMPTS_MAX,
  deadTopicSpec,
  withDeadLetters,
  type DeadLetter,
  type RecordHandler,
  type RecordOutcome,
} from './log/dead-letters.ts';
export {
  BLOCKED_AFTER_MS,
  makeBlockedPartitions,
  type BlockedPartition,
  type BlockedPartitions,
} from './log/blocked-partitions.ts';
export { OwnedPartition } from './log/owned-partition.ts';
export { partitionOf } from './log/partition-of.ts';
export { PositionCommitter } from './log/position-committer.ts';
export { storageReader } from './log/reader.ts';
export { tracedLog } from './log/traced-log.ts';
export { makePageTokens, type InvalidPageToken, type PageKey, type PageTokens } from './page-token.ts';
export { makePermits, type Permits } from './permits.ts';
export {
  BLOB_PAGE_MAX,
  blobArea,
  blobHash,
  resolveRange,
  type BlobArea,
  type BlobDigest,
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
  unauthenticatedCaller,
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
export {
  DownloadInterrupted,
  isTransientDownload,
  type BadResponse,
  type BadUrl,
  type Downloaded,
  type Downloader,
  type DownloadError,
  type DownloadLimits,
  type DownloadRequest,
  type DownloadTimedOut,
  type DownloadTooLarge,
  type ForbiddenAddress,
  type HttpStatus,
  type TooManyRedirects,
  type UnknownHost,
} from './ports/downloader.port.ts';
export {
  type GenericStorage,
  type StoredValue,
  type ValueTooLarge,
  type VersionConflict,
} from './ports/generic-storage.port.ts';
export { type Ids } from './ports/ids.port.ts';
export {
  type LeaseRow,
  type LeaseStore,
  type LeaseView,
  type ShardsMismatch,
  type ShardToken,
} from './ports/lease-store.port.ts';
export {
  type Claim,
  type ClaimLost,
  type Fetched,
  type FetchLimits,
  type LogStorage,
  type PartitionCursor,
  type PositionCommit,
} from './ports/log-storage.port.ts';
export {
  type Batch,
  type BatchHandler,
  type BatchOutcome,
  type Delivered,
  type Fence,
  type Fenced,
  type ForeignPosition,
  type LogAdmin,
  type LogConsumer,
  type LogPromises,
  type LogPublisher,
  type LogReader,
  type LogRecord,
  type MessageLog,
  type OversizeRecord,
  type PartitionLag,
  type Position,
  type PositionGone,
  type PublishError,
  type PublishOptions,
  type ReadError,
  type RecordHeaders,
  type RecordsTooLarge,
  type Stalled,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionFailure,
  type TopicInfo,
  type TopicMismatch,
  type TopicSpec,
  type UnknownPartition,
  type UnknownTopic,
} from './ports/message-log.port.ts';
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
export { rateLimiter, type RateLimiter } from './rate-limit.ts';
export { makeRecent, type Recent, type RecentOptions } from './recent.ts';
export { sameValue } from './same-value.ts';
export { utf8Bytes } from './utf8-bytes.ts';
export { deleteCondemned } from './segments/delete-condemned.use-case.ts';
export { putSegmentBytes, readSegmentBytes, type SegmentLost } from './segments/segment-bytes.ts';
export type { NamedSegments } from './segments/named-segments.port.ts';
export {
  makeSweepSegments,
  type Swept,
  type SweepSegments,
  type SweepSegmentsNeeds,
} from './segments/sweep-segments.use-case.ts';
export { shardOf, xxh64, xxh64Bytes, xxh64Upper } from './xxh64.ts';
