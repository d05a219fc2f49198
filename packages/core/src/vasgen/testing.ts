export { disagreements } from './testing/agreement.ts';
export { plainAnalyzer } from './testing/plain-analyzer.ts';
export { applyTo, documentsOf, referenceEngine, type ReferenceIndex } from './testing/reference-engine.ts';
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
