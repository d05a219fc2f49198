// The ports of the offer store's database. An adapter implements all of them over one database.
export { ROWS_MAX, type KnownOffers, type OfferStore } from './commit/offer-store.port.ts';
export type { DraftStore } from './drafts/draft-store.port.ts';
export type { ExportQueue, ParkedRecord, QueuedRecord, QueueKey } from './export/export-queue.port.ts';
export type { Cabinet, PresetList, PresetPlace, RepairStep, TotalDrift } from './cabinet/cabinet.port.ts';
export type { Timers } from './expiry/timers.port.ts';
export {
  ID_HASHES,
  idHashOf,
  type OfferScan,
  type ScanPlace,
  type ScanRange,
} from './scan/offer-scan.port.ts';
export type { FeedStore } from './autoload/feed-store.port.ts';
export { SEGMENT_ENTRIES_MAX, SEGMENT_OFFERS_MAX, type OfferArchive } from './archive/offer-archive.port.ts';

// What one commit makes true.
export {
  COMMIT_BYTES_MAX,
  unitBytes,
  wavesOf,
  type CommitUnit,
  type Conflict,
  type DraftMove,
  type DraftSlot,
  type SlotMove,
} from './commit/commit-unit.ts';
export { commitInWaves, type CommitWave } from './commit/commit-in-waves.store.ts';
export type { OutboxRecord, PresetKey, PresetMove, TotalMove } from './offer/offer-change.ts';
export type {
  FeedMove,
  FeedProgress,
  FeedResult,
  FeedRow,
  StoredProgress,
  TerminalProgress,
} from './autoload/feed.ts';
export {
  archiveMoveOf,
  archivedOf,
  type ArchivedOffer,
  type ArchiveMove,
  type ArchivePointer,
  type SegmentRewrite,
} from './archive/archiving.ts';

// How an offer becomes rows, and what the codes in them mean.
export { offerOfParts, queuedRecords, writtenParts, type StoredPart } from './commit/stored-offer.store.ts';
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
} from './offer/offer-parts.ts';
export type { AppliedCommand } from './offer/offer.ts';
export { OFFER_FIELDS, type HistoryDetails } from './history/history.ts';
export { TIMERS, timerOf, type Timer, type TimerKey } from './expiry/timer.ts';
export { PRESETS, TOTALS } from './cabinet/presets.ts';
export { STATUS_CODES } from './offer/status.ts';
export { OWNER_KINDS } from './drafts/draft.ts';
