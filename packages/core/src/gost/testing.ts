export { brokenLaws, type Told } from './testing/store-laws.ts';
export { liveRandomly, type HistoriesOptions } from './testing/random-histories.ts';
export { gostContracts } from './testing/gost.contract.ts';
export { feedBatch, feedEntry, feedTerminal, sampleFeed } from './testing/feed-samples.ts';
export { largestContent, noise } from './testing/largest-content.ts';
export { offersIn } from './testing/gost-laws.ts';
export { openTestGost, type TestGostNeeds, type TestGost } from './testing/open-test-gost.ts';
export {
  alteration,
  inMemoryGostStores,
  corruptCountInMemory,
  corruptTotalInMemory,
  publication,
  type GostHarness,
} from './testing/gost-stores.ts';
export { inMemoryCabinet } from './testing/in-memory-cabinet.ts';
export { inMemoryExportQueue, inMemoryTimers } from './testing/in-memory-export-queue.ts';
export { inMemoryFeedStore } from './testing/in-memory-feed-store.ts';
export { inMemoryOfferArchive } from './testing/in-memory-offer-archive.ts';
export { inMemoryDraftStore } from './testing/in-memory-draft-store.ts';
export {
  inMemoryOfferScan,
  inMemoryOfferStore,
  type InMemoryGostOptions,
} from './testing/in-memory-offer-store.ts';
export { jsonFlowCodecs, jsonGostCodecs } from './testing/json-codecs.ts';
export {
  commandId,
  DAY_US,
  sampleCatalog,
  sampleContent,
  sampleContext,
  sampleGeocoder,
  sampleOfferId,
  sampleSeller,
} from './testing/samples.ts';
export { repairCount } from './cabinet/audit-counts.use-case.ts';
export { makeReadArchive } from './archive/read-archive.use-case.ts';
