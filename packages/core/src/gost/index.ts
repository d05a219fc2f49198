export {
  cabinet,
  moveBetween,
  PRESETS,
  TOTALS,
  type CabinetMove,
  type Preset,
  type Total,
} from './domain/cabinet.ts';
export {
  archivedOf,
  archiveMoveOf,
  type ArchivedOffer,
  type ArchiveMove,
  type ArchivePointer,
  type SegmentRewrite,
} from './domain/archiving.ts';
export { segmentOf, type SegmentSlice } from './domain/segment.ts';
export { timerOf, TIMERS, type Timer, type TimerKey } from './domain/timer.ts';
export {
  decideCurrentDraft,
  type CurrentDraft,
  type CurrentDraftQuestion,
  type Draft,
  type DraftId,
  type DraftMaking,
  type DraftOwner,
} from './domain/draft.ts';
export {
  FEED_VERDICTS,
  type FeedError,
  type FeedKey,
  type FeedMove,
  type FeedProgress,
  type FeedResult,
  type FeedRow,
  type FeedVerdict,
  type StoredProgress,
  type TerminalProgress,
} from './domain/feed.ts';
export {
  type Archived,
  type BanOffer,
  type ChangeCommand,
  type AttachPhotos,
  type EditOffer,
  type FeedLoad,
  type LoadOffer,
  type GostError,
  type OfferCommand,
  type PlainCommand,
  type PublishOffer,
  type Refused,
  type SellOffer,
  type StaleVersion,
  type UnbanOffer,
} from './domain/command.ts';
export {
  unitBytes,
  wavesOf,
  type CommitUnit,
  type Conflict,
  type DraftMove,
  type DraftSlot,
  type OfferDraft,
  type SlotMove,
} from './domain/commit-unit.ts';
export { decide, decidePublish, type Decision } from './domain/decide.ts';
export { type DecisionContext } from './domain/step.ts';
export {
  type BatchAnswer,
  type EntryAnswer,
  type FeedAnswer,
  type FeedBatch,
  type FeedEntry,
  type FeedMessage,
  type FeedPhotoErrors,
  type FeedTerminal,
  type ModerationOpinion,
  type TerminalAnswer,
} from './domain/feed-message.ts';
export { isMassDeletion, type FeedGuard } from './domain/feed-order.ts';
export { type FlowCodecs } from './ports/flow-codecs.port.ts';
export {
  afterUnban,
  countSale,
  lifecycleTable,
  moveLifecycle,
  type LifecycleCommand,
  type Refusal,
  type Sale,
  type Standing,
} from './domain/lifecycle.ts';
export {
  COMMANDS_KEPT,
  contentBytes,
  emptyText,
  offerStatus,
  type AppliedCommand,
  type AttributeValue,
  type Ban,
  type CommandId,
  type CommandResult,
  type Contacts,
  type Geo,
  type Money,
  type Offer,
  type OfferAttribute,
  type OfferContent,
  type OfferImage,
  type OfferSource,
  type OfferText,
  type Place,
  type SellerId,
} from './domain/offer.ts';
export { OFFER_FIELDS, type HistoryDetails, type HistoryEntry, type OfferField } from './domain/history.ts';
export {
  changeOf,
  type OfferChange,
  type OfferMessage,
  type OutboxRecord,
  type PhotoError,
  type PresetKey,
  type PresetMove,
  type TotalMove,
} from './domain/offer-change.ts';
export {
  formatOfferId,
  offerIdFrom,
  parseOfferId,
  type InvalidOfferId,
  type OfferId,
} from './domain/offer-id.ts';
export {
  HEAD_KIND,
  joinParts,
  KINDS,
  noImages,
  noModeration,
  partsOf,
  type OfferBodies,
  type OfferHead,
  type OfferKind,
  type OfferParts,
} from './domain/offer-parts.ts';
export { parseStageName, stageKey, type StageName } from './domain/stage.ts';
export { viewOf, type OfferView, type PhotoView } from './domain/offer-view.ts';
export { sentenceOf, whyOf } from './domain/why.ts';
export { defaultOfferLimits, violationsOf, type OfferLimits } from './domain/validation.ts';
export { LIFECYCLES, STATUSES, statusOf, type Lifecycle, type Status } from './domain/status.ts';
export {
  type Cabinet,
  type PresetList,
  type PresetPlace,
  type RepairStep,
  type SellerTotals,
  type TotalDrift,
} from './ports/cabinet.port.ts';
export { type DraftStore } from './ports/draft-store.port.ts';
export {
  FEED_OFFERS,
  FEED_PHOTO_ERRORS,
  FEED_RESULTS,
  MODERATION_OPINIONS,
  OFFER_UPDATES,
  type ExportQueue,
  type QueuedRecord,
  type QueueKey,
} from './ports/export-queue.port.ts';
export { commitInWaves, type CommitWave } from './ports/commit-in-waves.ts';
export { type FeedStore } from './ports/feed-store.port.ts';
export { type Geocoder } from './ports/geocoder.port.ts';
export { type GostStores } from './ports/gost-stores.port.ts';
export { type GostCodecs } from './ports/gost-codecs.port.ts';
export {
  ID_HASHES,
  idHashOf,
  type OfferScan,
  type ScanPlace,
  type ScanRange,
} from './ports/offer-scan.port.ts';
export { offerOfParts, queuedRecords, writtenParts, type StoredPart } from './ports/stored-offer.ts';
export { SEGMENT_ENTRIES_MAX, SEGMENT_OFFERS_MAX, type OfferArchive } from './ports/offer-archive.port.ts';
export { COMMIT_BYTES_MAX, ROWS_MAX, type KnownOffers, type OfferStore } from './ports/offer-store.port.ts';
export { type Timers } from './ports/timers.port.ts';
export {
  makeArchiveDueOffers,
  type ArchivedDue,
  type ArchiveDueOffers,
  type ArchiveDueOffersNeeds,
} from './use-cases/archive-due-offers.ts';
export { ARCHIVE_AREA } from './use-cases/segments.ts';
export {
  makeFindOffers,
  makeReadArchive,
  type ArchivedRecord,
  type FindOffers,
  type FoundOffer,
  type ReadArchive,
  type ReadArchiveNeeds,
} from './use-cases/read-archive.ts';
export {
  makeSweepSegments,
  type SweepSegments,
  type SweepSegmentsNeeds,
  type Swept,
} from './use-cases/sweep-segments.ts';
export {
  makeEraseArchived,
  type EraseArchived,
  type EraseArchivedNeeds,
} from './use-cases/erase-archived.ts';
export {
  BULK_OFFERS_MAX,
  makeBulkChange,
  type BulkAction,
  type BulkChange,
  type BulkCommand,
  type BulkVerdict,
} from './use-cases/bulk-change.ts';
export {
  makeChangeOffer,
  makeChangeOffers,
  type ChangeOffer,
  type ChangeOfferError,
  type ChangeOffers,
  type ChangeOffersNeeds,
  type OfferChanged,
  type OfferOrder,
  type Verdict,
} from './use-cases/change-offers.ts';
export {
  makeAuditCounts,
  repairCount,
  repairSeller,
  type Audit,
  type Drift,
  type SellerDrift,
} from './use-cases/counter-audit.ts';
export {
  makeGetCurrentDraft,
  makeSaveDraft,
  type CurrentDraftQuery,
  type DraftNeeds,
  type DraftNotFound,
  type GetCurrentDraft,
  type SaveDraft,
} from './use-cases/current-draft.ts';
export {
  makeEraseSeller,
  type EraseSeller,
  type EraseSellerError,
  type EraseSellerNeeds,
  type EraseSlice,
} from './use-cases/erase-seller.ts';
export { makeEraseTraces, type EraseTraces, type EraseTracesNeeds } from './use-cases/erase-traces.ts';
export {
  geoOf,
  makeEditOffer,
  type EditOfferCommand,
  type EditOfferUseCase,
} from './use-cases/edit-offer.ts';
export {
  makeExpireDueOffers,
  type Expired,
  type ExpireDueOffers,
  type ExpireDueOffersNeeds,
} from './use-cases/expire-due-offers.ts';
export {
  defaultExportSettings,
  distinctPrefix,
  makeExportShard,
  type ExportSettings,
  type ExportShardNeeds,
} from './use-cases/export-shard.ts';
export {
  defaultOfferMemory,
  rememberingOffers,
  type OfferMemoryOptions,
  type Recalling,
  type RememberingOffers,
} from './use-cases/offer-memory.ts';
export { makeGroupCommit, type GroupCommit, type GroupCommitOptions } from './use-cases/group-commit.ts';
export {
  HISTORY_PAGE_MAX,
  makeGetOfferHistory,
  type GetOfferHistory,
  type GetOfferHistoryNeeds,
  type OfferHistory,
} from './use-cases/get-offer-history.ts';
export {
  CABINET_PAGE_MAX,
  makeListCabinet,
  type CabinetPage,
  type ListCabinet,
  type ListCabinetNeeds,
} from './use-cases/list-cabinet.ts';
export {
  makePublishDraft,
  type PublishDraft,
  type PublishDraftError,
  type PublishDraftNeeds,
} from './use-cases/publish-draft.ts';
export {
  makeConsumeFlows,
  type ConsumeFlowsNeeds,
  type FlowOutcome,
  type Flows,
} from './use-cases/consume-flows.ts';
export {
  makeLoadFeed,
  type FeedStep,
  type LoadFeed,
  type LoadFeedError,
  type LoadFeedNeeds,
} from './use-cases/load-feed.ts';
export {
  makePurgeDrafts,
  purgeAll,
  type PurgeDrafts,
  type PurgeDraftsNeeds,
  type Purged,
} from './use-cases/purge-drafts.ts';
export {
  makeScanOffers,
  SCAN_PARTS_MAX,
  type ScanOffers,
  type ScanOffersNeeds,
  type ScanPiece,
} from './use-cases/scan-offers.ts';
export { makeStages, type Stages, type StagesNeeds, type StageState } from './use-cases/stages.ts';
export {
  contextOf,
  defaultGostSettings,
  type ArchiveSettings,
  type DecidingNeeds,
  type GostSettings,
} from './use-cases/settings.ts';
