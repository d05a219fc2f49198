export { openCatalog, type CatalogContext, type CatalogPorts, type CatalogUseCases } from './open-catalog.ts';
export {
  type Attribute,
  type AttributeId,
  type AttributeType,
  type AttributeUse,
  type DictionaryValue,
  type NumberRange,
  type ValueId,
} from './domain/attribute.ts';
export { catalogOf, type Catalog, type CatalogContent } from './domain/catalog.ts';
export { type Category, type CategoryId } from './domain/category.ts';
export {
  checkCatalog,
  DEPTH_MAX,
  type BrokenCatalog,
  type CatalogMistake,
  type MistakeCode,
} from './domain/check.ts';
export { commonAttributes, commonFilters, nearestCommonAncestor } from './domain/common.ts';
export { diffCatalogs, type CatalogChange, type ChangedThing, type ChangeKind } from './domain/diff.ts';
export { narrow, widest, type EffectiveAttribute, type Widening } from './domain/effective.ts';
export { catalogLookup, type CatalogLookup } from './domain/lookup.ts';
export { fold, LANGUAGES, spellings, type Language, type Names } from './domain/names.ts';
export {
  DEFAULT_FILTERS,
  FED_FILTERS,
  noOverride,
  overridden,
  STANDARD_FILTERS,
  type FedFilter,
  type FilterOverride,
  type StandardFilter,
} from './domain/standard-filters.ts';
export { succeed, type TypeChange, type TypeChanges } from './domain/succession.ts';
export { type CatalogSource } from './ports/catalog-source.port.ts';
export {
  CATALOG_VERSION_MAX,
  type CatalogStore,
  type PublishedVersion,
  type UnknownVersion,
  type VersionTaken,
} from './ports/catalog-store.port.ts';
export type { CatalogCache, CatalogCopy, CatalogNotLoaded } from './use-cases/catalog-cache.ts';
export type { CatalogChangesSince } from './use-cases/catalog-changes.ts';
export type { CatalogEmpty } from './use-cases/catalog-versions.ts';
export type { Publication, PublishCatalogError } from './use-cases/publish-catalog.ts';
