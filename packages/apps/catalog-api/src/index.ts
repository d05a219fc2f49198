import { catalogService } from '@doska/adapters-grpc';
import { catalogCachePart, Tokens, type App } from '@doska/app-composition';
import { makeCatalogChanges, makePublishCatalog } from '@doska/core/catalog';
import type { Access } from '@doska/core/kernel';
import { ok, okAsync, ResultAsync } from 'neverthrow';
import { catalogVersions } from './catalog-versions.ts';
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
  prepare: async (container) => {
    const { demo, profile } = container.get(Tokens.config);
    if (!(demo ?? profile === 'embedded')) return ok(undefined);
    const store = container.get(Tokens.catalogStore);
    return publishDemo(store, makePublishCatalog({ store }));
  },
  parts: (container) => [catalogCachePart(NAME, container)],
  grpc: (container) => {
    const [store, cache] = [container.get(Tokens.catalogStore), container.get(Tokens.catalogCache)];
    const publish = makePublishCatalog({ store });
    return [
      catalogService({
        catalog: catalogVersions(cache, store),
        newest: () =>
          cache.copy().isOk()
            ? okAsync(
                cache
                  .copy()
                  .map(({ catalog }) => catalog.version)
                  .unwrapOr(0),
              )
            : store.current().map((current) => current?.version ?? 0),
        changes: makeCatalogChanges({ store }),
        // Whoever publishes through this process reads what was published from it at once.
        publish: (command) =>
          publish(command).andThrough(({ published }) =>
            published ? ResultAsync.fromSafePromise(cache.atLeast(published.version)) : okAsync(undefined),
          ),
        access: readers(container.get(Tokens.config).catalogRatePerMinute),
      }),
    ];
  },
};
