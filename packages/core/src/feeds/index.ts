export {
  decideFeedTask,
  feedTaskTable,
  type FeedTaskDecision,
  type FeedTaskRefused,
  type Ignored,
} from './domain/decide-feed-task.ts';
export {
  defaultFeedTaskSettings,
  FEED_TASK_PLACES,
  newFeedTask,
  type FeedTask,
  type FeedTaskEffect,
  type FeedTaskEvent,
  type FeedTaskEventKind,
  type FeedTaskFailure,
  type FeedTaskId,
  type FeedTaskPlace,
  type FeedTaskSettings,
} from './domain/feed-task.ts';
export { openFeeds, type Feeds, type FeedsPorts, type FeedsUseCases } from './open-feeds.ts';
export {
  FEED_FORMATS,
  feedNamespaceViolations,
  isParsedNamespace,
  MAIN_NAMESPACE,
  noDefaults,
  type AbsentOffers,
  type Feed,
  type FeedDefaults,
  type FeedFormat,
  type FeedSettings,
} from './domain/feed.ts';
export { NEVER_MS, noStatistics } from './domain/load.ts';
export type {
  FatalError,
  FeedChange,
  FeedLink,
  FeedLock,
  Load,
  LoadKey,
  LoadProgress,
  LoadStatistics,
  LockContext,
  OfferError,
  SavedResults,
  StoredError,
  StoredFeed,
} from './domain/load.ts';
export { defaultFeedsSettings, FEED_SHARDS, feedShard, type FeedsSettings } from './domain/settings.ts';
export { emptyRawOffer, type RawAttribute, type RawOffer, type RawProblem } from './domain/raw-offer.ts';
export { defaultReadLimits, type ReadLimits } from './domain/read-limits.ts';
export type { BrokenFile, FeedReader, FeedSource, ReadOptions, ReadStep } from './ports/feed-reader.port.ts';
export {
  STORE_ROWS_MAX,
  type ErrorPlace,
  type FeedCleanup,
  type FeedQueues,
  type FeedStore,
  type FeedStores,
  type FileOwners,
  type PhotoErrorRow,
  type PhotoErrors,
} from './ports/feed-store.port.ts';
export type { Spool, Spooled } from './ports/spool.port.ts';
export type { LinkActive, FeedNotFound } from './domain/decide-load.ts';
export type { NotHeld } from './domain/decide-run.ts';
export type { FeedView, NoLink, StaleFeedVersion } from './use-cases/manage-feeds.ts';
export type { EmptyFile, UploadError } from './use-cases/receive-file.ts';
export type { Diagnosis, ErrorFilter, LoadNotFound, LoadView } from './use-cases/read-loads.ts';
export { isLikeFormula } from './domain/error-sheet.ts';
export type { SheetRows, SheetWriter } from './ports/sheet-writer.port.ts';
export { EXPORT_FORMATS, type ExportErrors, type ExportFormat } from './use-cases/export-errors.ts';
