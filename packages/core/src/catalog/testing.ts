export { anyCatalog, named } from './testing/catalog.arbitraries.ts';
export { catalogStoreContract, type CatalogStoreHarness } from './testing/catalog-store.contract.ts';
export { inMemoryCatalogStore, jsonCatalogCodec } from './testing/in-memory-catalog-store.ts';
