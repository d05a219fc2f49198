export {
  digestTerm,
  DigestParts,
  documentHash,
  partOfHash,
  type DigestOver,
  type PartDigest,
} from './document/digest.ts';
export {
  followTopic,
  type FeedState,
  type IndexFeed,
  type IndexFeedNeeds,
} from './engine/follow-topic.use-case.ts';
export type { IndexRecord } from './engine/index-record.ts';
export type { NumberedSchema, SchemaSource } from './engine/schema-source.port.ts';
export type { StoppedPartition } from './engine/stopped-partitions.ts';
export {
  checkDigest,
  checkPlaces,
  checkWords,
  DIGEST_PARTS_MAX,
  PLACES_MAX,
  WORDS_MAX,
} from './engine/check-places.ts';
export { checkPlan, sortOf, type PlanInvalid } from './engine/check-plan.ts';
export { cappedPage, type CappedPage } from './engine/capped-page.ts';
export {
  explainBoosts,
  explainConditions,
  isOutermost,
  type ExplainedBoost,
  type ExplainedCondition,
  type ExplainedDocument,
  type ExplainedWord,
  type Explanation,
} from './engine/explanation.ts';
export { foldText, wordsOf } from './engine/fold-text.ts';
export {
  compareFreshness,
  freshnessFault,
  isFresher,
  type ChangeKind,
  type Freshness,
} from './document/freshness.ts';
export { distanceMeters } from './engine/geo.ts';
export {
  changeFaults,
  KEYWORD_BYTES_MAX,
  PK_BYTES_MAX,
  type DocumentFields,
  type FieldValue,
  type GeoPoint,
  type IndexChange,
} from './engine/index-change.ts';
export {
  checkSchema,
  FIELDS_MAX,
  fieldsOf,
  isMultiple,
  TEXT_FIELDS_MAX,
  type FieldKind,
  type FieldSpec,
  type IndexSchema,
  VALUES_MAX,
} from './engine/index-schema.ts';
export {
  FACET_LIMIT_DEFAULT,
  CAPPED_DEPTH_MAX,
  FACETS_MAX,
  PAGE_DEPTH_MAX,
  PAGE_LIMIT_MAX,
  type Boost,
  type Choice,
  type Cursor,
  type Facet,
  type FacetCounts,
  type Filter,
  type Hit,
  type Page,
  type PageCap,
  type QueryAnswer,
  type QueryBounds,
  type QueryPlan,
  type SortKey,
  type TextQuery,
} from './engine/query-plan.ts';
export {
  fieldWeight,
  inverseFrequency,
  K1,
  lengthCode,
  TERM_COUNT_MAX,
  termScore,
} from './engine/relevance.ts';
export { coversSchema, grownSchema, type SchemaConflict } from './engine/schema-growth.ts';
export { cosine } from './engine/similarity.ts';
export type { Analyzer } from './engine/analyzer.port.ts';
export type { RebuildPage, RebuildSource } from './engine/rebuild-source.port.ts';
export {
  type ApplyVerdict,
  type DigestPlan,
  type DocumentPlace,
  type FeedProgress,
  type IndexExists,
  type IndexInfo,
  type IndexServes,
  type IndexSpec,
  type NoIndex,
  type OtherAnalyzer,
  type IndexWord,
  type PlacesPlan,
  type WordsPlan,
  type RebuildMoved,
  type SearchEngine,
  type SeenDocument,
  type ServingMoved,
  type UnknownIndex,
  type Where,
} from './engine/search-engine.port.ts';
export { indexName, servingName, type IndexName, type ServingName } from './engine/index-name.ts';
export { defaultDocumentLimits, documentBytes, type DocumentLimits } from './document/document-rules.ts';
export { indexChangeOf } from './document/index-change-of.ts';
export {
  clientName,
  placeOf,
  type ClientName,
  type DocumentEvent,
  type Embedding,
  type RawDocument,
  type RawField,
} from './document/raw-document.ts';
export {
  epochOf,
  livingEpochs,
  servingEpoch,
  type ClientEpochs,
  type Epoch,
  type EpochState,
  type EpochStates,
} from './epochs/epoch.ts';
export type {
  EpochsMoved,
  EpochStore,
  SchemaNotNext,
  ShardsMismatch,
  UnknownClient,
} from './epochs/epoch-store.port.ts';
export type {
  Advance,
  DocumentQueues,
  OffsetMoved,
  ParkedCursor,
  QueueReader,
  QueueShard,
} from './queues/document-queues.port.ts';
export {
  QUEUES,
  type ElementPlace,
  type FailedElement,
  type Failure,
  type QueuedDocument,
  type QueueElement,
  type QueueName,
} from './queues/queue-element.ts';
export { documentShard, PK_HASHES, pkHashOf } from './queues/shard-of-document.ts';
export type { Refusal } from './receiver/refusal.ts';
export type { RefusalStore } from './receiver/refusal-store.port.ts';
export {
  MANIFEST_ROWS_MAX,
  type ArchiveManifest,
  type Erasure,
  type SegmentCursor,
  type SegmentRefused,
  type SegmentWindow,
} from './archive/archive-manifest.port.ts';
export type {
  ArchivedRecord,
  ArchiveSegment,
  SegmentContent,
  SegmentKey,
  SegmentRow,
} from './archive/archive-segment.ts';
export type { ArchiveError, ReadArchive, ReplayWindow } from './archive/read-archive.use-case.ts';
export type { SearcherIndex, SearcherReport, StoredReport } from './searcher/searcher-report.ts';
export { SEARCHERS_MAX, type SearcherRows } from './searcher/searcher-rows.port.ts';
export {
  ACCEPT_BYTES_MAX,
  REGISTRY_ROWS_MAX,
  type DocumentRegistry,
  type RegistryPage,
  type RegistryWrite,
  type ScanCursor,
  type SchemaGrowth,
  type SchemaMoved,
  type WriteOutcome,
} from './registry/document-registry.port.ts';
export {
  expiryOf,
  isRaised,
  judge,
  type JudgeSettings,
  type Judgement,
  type Received,
  type Triple,
  type Verdict,
} from './registry/judge.ts';
export type { Lane, RegistryRow, RowHead } from './registry/registry-row.ts';
export { declaredSchema, emptySchema, schemaFor, type EpochSchema } from './schema/epoch-schema.ts';
export type { VasgenStores } from './vasgen-stores.port.ts';
export { indexRecordOf, indexTopic, type IndexedDocument } from './document/indexed-document.ts';
export {
  BULK_TOPIC,
  LIVE_TOPIC,
  REJECTED_TOPIC,
  type QualifiedBatch,
  type RejectedDocument,
} from './receiver/qualified-batch.ts';
export type { VasgenCodecs } from './vasgen-codecs.port.ts';
export {
  openVasgen,
  type Vasgen,
  type VasgenPorts,
  type VasgenUseCases,
  type VasgenWorkers,
} from './open-vasgen.ts';
export { defaultVasgenSettings, type VasgenSettings } from './settings.ts';
export type { EngineInUse, EngineSource, OpenedEngine } from './searcher/engine-source.port.ts';
export type { ExecuteError, Searcher } from './searcher/searcher.use-case.ts';
export {
  queryPlanOf,
  type ExplainAnswer,
  type SearchAnswer,
  type SearchRequest,
} from './searcher/search-request.ts';
export type { GetDocuments, GetDocumentsError } from './searcher/get-documents.use-case.ts';
export type { ScannedPage, ScanRegistry } from './searcher/registry-scan.use-case.ts';
export { scanCursorText } from './searcher/registry-scan.use-case.ts';
export type { LocatedDocument, LocatedRow, LocateDocument } from './registry/locate-document.use-case.ts';
export type { RepairError, RepairQueues, Replayed } from './upkeep/repair-queues.use-case.ts';
export type { ReceiveDocuments } from './receiver/receive-documents.use-case.ts';
export type { ManageEpochs, UnknownEpoch } from './epochs/manage-epochs.use-case.ts';
export type { EpochCommand, EpochRefused } from './epochs/epoch-transitions.ts';
export { indexedOf } from './registry/indexed-of.ts';
export type { DeclaredPlan, DeclaredPlans, PlanBoost, PlanCount } from './schema/declared-plan.ts';
export type { FacetStats } from './engine/query-plan.ts';
