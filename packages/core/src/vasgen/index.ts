export { checkPlan, sortOf, type PlanInvalid } from './domain/check-plan.ts';
export { foldText, wordsOf } from './domain/fold-text.ts';
export {
  compareFreshness,
  freshnessFault,
  isFresher,
  type ChangeKind,
  type Freshness,
} from './domain/freshness.ts';
export { distanceMeters } from './domain/geo.ts';
export {
  changeFaults,
  KEYWORD_BYTES_MAX,
  PK_BYTES_MAX,
  type DocumentFields,
  type FieldValue,
  type GeoPoint,
  type IndexChange,
} from './domain/index-change.ts';
export {
  checkSchema,
  FIELDS_MAX,
  fieldsOf,
  TEXT_FIELDS_MAX,
  type FieldKind,
  type FieldSpec,
  type IndexSchema,
  VALUES_MAX,
} from './domain/index-schema.ts';
export {
  FACET_LIMIT_DEFAULT,
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
  type QueryAnswer,
  type QueryBounds,
  type QueryPlan,
  type SortKey,
  type TextQuery,
} from './domain/query-plan.ts';
export {
  fieldWeight,
  inverseFrequency,
  K1,
  lengthCode,
  TERM_COUNT_MAX,
  termScore,
} from './domain/relevance.ts';
export { cosine } from './domain/similarity.ts';
export type { Analyzer } from './ports/analyzer.port.ts';
export type { RebuildPage, RebuildSource } from './ports/rebuild-source.port.ts';
export {
  indexName,
  servingName,
  type ApplyVerdict,
  type FeedProgress,
  type IndexExists,
  type IndexInfo,
  type IndexName,
  type IndexServes,
  type IndexSpec,
  type SearchEngine,
  type ServingMoved,
  type ServingName,
  type UnknownIndex,
  type Where,
} from './ports/search-engine.port.ts';
