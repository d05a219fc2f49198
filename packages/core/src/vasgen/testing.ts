export { sampleClient, sampleWrite } from './testing/document-samples.ts';
export { disagreements } from './testing/agreement.ts';
export { jsonIndexRecords } from './testing/json-index-records.ts';
export { plainAnalyzer } from './testing/plain-analyzer.ts';
export {
  inMemoryEngine,
  memoryEngineServer,
  type InMemoryEngine,
  type InMemoryEngineOptions,
  type MemoryEngineServer,
} from './testing/in-memory-engine.ts';
export { referenceEngine } from './testing/reference-engine.ts';
export { applyTo, documentsOf, emptyIndex, type ReferenceIndex } from './testing/reference-index.ts';
export { comparePlaces, referenceQuery, type ReferenceDocument } from './testing/reference-query.ts';
export type {
  EngineUnderTest,
  SearchEngineCase,
  SearchEngineHarness,
  SearchEnginePromises,
} from './testing/search-engine-harness.ts';
export {
  ask,
  everything,
  expiry,
  feed,
  freshIndex,
  freshName,
  freshServing,
  pksOf,
  remove,
  upsert,
} from './testing/search-engine-probe.ts';
export { searchEngineCases, searchEngineContract } from './testing/search-engine.contract.ts';
export {
  changeArbitrary,
  columnSort,
  fieldsArbitrary,
  filterArbitrary,
  historyArbitrary,
  planArbitrary,
  sampleFacets,
  sampleSchema,
} from './testing/vasgen.arbitraries.ts';
export { inMemoryVasgenStores } from './testing/in-memory-vasgen.ts';
export { vasgenStoreContracts } from './testing/vasgen-stores.contract.ts';
export type { VasgenHarness } from './testing/vasgen-harness.ts';
export { jsonVasgenCodecs } from './testing/json-vasgen-codecs.ts';
export { vasgenConvergenceContract } from './testing/vasgen-convergence.contract.ts';
