import type { Part } from '@doska/app-composition';
import type { CatalogCache } from '@doska/core/catalog';

/** Keeps the process's copy of the catalogue current. Ready at once: until the first copy is loaded, readers get an error. */
export const catalogCachePart = (app: string, cache: CatalogCache): Part => ({
  app,
  name: 'catalog-cache',
  run: (signal, ready) => {
    ready();
    return cache.run(signal);
  },
});
