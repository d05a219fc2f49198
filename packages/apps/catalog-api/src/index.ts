import { catalogService } from '@doska/adapters-grpc';
import { Tokens, type App } from '@doska/app-composition';
import { catalogCachePart, CatalogTokens, catalogWiring } from '@doska/app-wiring/catalog';
import type { Access } from '@doska/core/kernel';
import { ok } from 'neverthrow';
import { publishDemo } from './demo.ts';

export { DEMO_DIR } from './demo.ts';

const NAME = 'catalog-api';
const readers = (ratePerMinute: number): Access =>
  ratePerMinute > 0
    ? { public: { ratePerMinute } }
    : { roles: ['service', 'operator', 'seller', 'anonymous'] };

/** The catalogue of categories and attributes. */
export const catalogApi: App = {
  name: NAME,
  summary: 'Categories and attributes in versions: tree, details, export, changes, publishing.',
  contexts: [catalogWiring],
  prepare: async (container) => {
    const { demo, profile } = container.get(Tokens.config);
    if (!(demo ?? profile === 'embedded')) return ok(undefined);
    const store = container.get(CatalogTokens.store);
    return publishDemo(store, container.get(CatalogTokens.catalog).useCases.publish);
  },
  parts: (container) => [catalogCachePart(NAME, container.get(CatalogTokens.cache))],
  services: (container) => {
    const { ratePerMinute, cacheSec } = container.get(CatalogTokens.config);
    const { useCases } = container.get(CatalogTokens.catalog);
    return [catalogService({ ...useCases, access: readers(ratePerMinute), maxAgeSec: cacheSec })];
  },
};
