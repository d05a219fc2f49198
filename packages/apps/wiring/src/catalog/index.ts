import { defineContext } from '@doska/app-composition';
import { catalogModule } from './module.ts';
import { catalogSettings } from './settings.ts';

export { catalogCachePart } from './cache-part.ts';
export { catalogLoaded } from './readiness.ts';
export { CatalogTokens, type CatalogConfig } from './tokens.ts';

export const catalogWiring = defineContext({
  name: 'catalog',
  title: 'Catalogue',
  settings: catalogSettings,
  module: ({ catalog }) => catalogModule(catalog),
});
