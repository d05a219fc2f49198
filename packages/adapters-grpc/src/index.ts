export {
  defaultGrpcLimits,
  grpcServer,
  type AccessUndeclared,
  type GrpcLimits,
  type GrpcServer,
  type GrpcServerOptions,
  type GrpcStartFailed,
} from './server/grpc-server.ts';
export { type ListenOptions, type PortBusy } from './server/listen.ts';
export { CallAborted } from './server/call-streams.ts';
export { type RpcError, type Rejected } from './status/error-of.ts';
export {
  grpcChannel,
  type CallOptions,
  type ChannelOptions,
  type ClientOf,
  type GrpcChannel,
} from './client/grpc-channel.ts';
export { operationsClient, type OperationsClient, type ReadRecord } from './operations/operations-client.ts';
export { type ReadTopic, type TopicRecord } from './operations/topic-record.ts';
export { operationsService } from './operations/operations-service.ts';
export {
  type GroupLag,
  type JobResult,
  type JobStatus,
  type LeaseStatus,
  type PlatformStatus,
  type ProcessStatus,
  type StatusSource,
  type WorkerState,
  type WorkerStatus,
} from './operations/platform-status.ts';
export {
  catalogClient,
  type CatalogClient,
  type CategoryDetails,
  type PublishAnswer,
  type PublishOptions,
  type TreeNode,
} from './catalog/catalog-client.ts';
export { catalogService, type CatalogServiceNeeds } from './catalog/catalog-service.ts';
export { cabinetService, type CabinetServiceNeeds } from './gost/cabinet-service.ts';
export { draftService, type AnonymousSession, type DraftServiceNeeds } from './gost/draft-service.ts';
export {
  offerClient,
  type ErasedSlice,
  type OfferClient,
  type ToldEvent,
  type ToldHistory,
} from './gost/offer-client.ts';
export { exportClient, type ExportClient, type ToldParkedRecord } from './gost/export-client.ts';
export { exportService, type ExportServiceNeeds } from './gost/export-service.ts';
export { offerService, type OfferServiceNeeds } from './gost/offer-service.ts';
export { publicOfferService, type PublicOfferServiceNeeds } from './gost/public-offer-service.ts';
export { stageService, type StageServiceNeeds } from './gost/stage-service.ts';
export { receiverService, type ReceiverServiceNeeds } from './vasgen/receiver-service.ts';
export { epochService, type EpochServiceNeeds } from './vasgen/epoch-service.ts';
export { searcherService, type SearcherServiceNeeds } from './vasgen/searcher-service.ts';
export { archiveService, type ArchiveServiceNeeds } from './vasgen/archive-service.ts';
export {
  archiveClient,
  type ArchiveClient,
  type AskedWindow,
  type ToldRecord,
  type ToldSegment,
} from './vasgen/archive-client.ts';
export { queueService, type QueueServiceNeeds } from './vasgen/queue-service.ts';
export { searcherClient, type SearcherClient } from './vasgen/searcher-client.ts';
export { epochClient, type EpochClient } from './vasgen/epoch-client.ts';
export {
  searchUpkeepClient,
  type SearchUpkeepClient,
  type ToldFinding,
  type ToldSlice,
} from './search/search-upkeep-client.ts';
export {
  searchCtrClient,
  type SearchCtrClient,
  type SentRate,
  type SentSlice,
  type ToldCtr,
  type ToldCtrLoad,
} from './search/search-ctr-client.ts';
export { searchCtrService, type SearchCtrServiceNeeds } from './search/search-ctr-service.ts';
export {
  searchParkingClient,
  type SearchParkingClient,
  type ToldParkedOffer,
} from './search/search-parking-client.ts';
export { searchParkingService, type SearchParkingServiceNeeds } from './search/search-parking-service.ts';
export { searchUpkeepService, type SearchUpkeepServiceNeeds } from './search/search-upkeep-service.ts';
export { searchClient, type SearchClient, type ToldOfferExplanation } from './search/search-client.ts';
export { searchService, type SearchServiceNeeds } from './search/search-service.ts';
export { offerSourceClient } from './gost/offer-source-client.ts';
export { snippetClient, type SentSnippet, type SnippetClient } from './snippets/snippet-client.ts';
export { snippetAdminClient, type SnippetAdminClient } from './snippets/snippet-admin-client.ts';
export { snippetAdminService, type SnippetAdminNeeds } from './snippets/snippet-admin-service.ts';
export { snippetService, type SnippetServiceNeeds } from './snippets/snippet-service.ts';
export type { ToldLocation, ToldRefusal, ToldRow } from './vasgen/located.mapper.ts';
export {
  queueClient,
  type QueueClient,
  type ResentSlice,
  type ToldFailure,
  type ToldReplay,
} from './vasgen/queue-client.ts';
export {
  publishingClient,
  type PublishedOffer,
  type PublishedValue,
  type PublishingClient,
} from './gost/publishing-client.ts';
export { feedService, type FeedServiceNeeds } from './feeds/feed-service.ts';
export { feedAsked, takeFile } from './feeds/feed-requests.mapper.ts';
export { feedErrors, feedInWords } from './feeds/feed-errors.ts';
export {
  feedClient,
  type FeedClient,
  type FeedName,
  type ToldDiagnosis,
  type ToldError,
  type ToldLoad,
  type WantedFeed,
} from './feeds/feed-client.ts';
