export { cabinetContract } from './testing/cabinet.contract.ts';
export { draftStoreContract } from './testing/draft-store.contract.ts';
export { exportQueueContract } from './testing/export-queue.contract.ts';
export { gostDesk, type DeskNeeds, type GostDesk } from './testing/gost-desk.ts';
export {
  alteration,
  inMemoryGostStores,
  meddleInMemory,
  publication,
  type GostHarness,
  type GostStores,
} from './testing/gost-stores.ts';
export { inMemoryCabinet } from './testing/in-memory-cabinet.ts';
export { inMemoryExpiry, inMemoryExportQueue } from './testing/in-memory-export-queue.ts';
export {
  inMemoryDraftStore,
  inMemoryOfferStore,
  type InMemoryGostOptions,
} from './testing/in-memory-offer-store.ts';
export { jsonCodec, jsonGostCodecs } from './testing/json-codecs.ts';
export { offerStoreContract } from './testing/offer-store.contract.ts';
export {
  commandId,
  DAY_US,
  sampleCatalog,
  sampleContent,
  sampleContext,
  sampleOfferId,
  sampleSeller,
} from './testing/samples.ts';
