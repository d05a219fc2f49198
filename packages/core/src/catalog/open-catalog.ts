import { okAsync, ResultAsync } from 'neverthrow';
import type { Clock, Logger, Random, Unavailable } from '../kernel/index.ts';
import type { CatalogSource } from './ports/catalog-source.port.ts';
import type { CatalogStore } from './ports/catalog-store.port.ts';
import { makeCatalogCache, type CatalogCache } from './use-cases/catalog-cache.ts';
import { makeCatalogChanges, type CatalogChangesQuery } from './use-cases/catalog-changes.ts';
import { makeGetCatalog, type GetCatalog } from './use-cases/catalog-versions.ts';
import { makePublishCatalog, type PublishCatalog } from './use-cases/publish-catalog.ts';
import { storeSource } from './use-cases/store-source.ts';

export type CatalogPorts = {
  readonly store: CatalogStore;
  /** Where the process copies the catalogue from; by default the store. */
  readonly source?: CatalogSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
};
export type CatalogUseCases = {
  readonly catalog: GetCatalog;
  /** The newest version; 0 before the first. */
  readonly newest: () => ResultAsync<number, Unavailable>;
  readonly changes: CatalogChangesQuery;
  /** After a publish through this process, its reads return the new version at once. */
  readonly publish: PublishCatalog;
};
/** The catalogue of one process. */
export type CatalogContext = {
  readonly useCases: CatalogUseCases;
  /** The process's copy of the newest version. It stays empty until `cache.run` is running. */
  readonly cache: CatalogCache;
};

/** Opens the catalogue. `pollMs`: how often the source is asked for a newer version. */
export const openCatalog = (
  { store, source = storeSource(store), clock, random, logger }: CatalogPorts,
  { pollMs }: { readonly pollMs: number },
): CatalogContext => {
  const cache = makeCatalogCache({ source, clock, random, logger, pollMs });
  const publish = makePublishCatalog({ store });
  return {
    cache,
    useCases: {
      catalog: makeGetCatalog(cache, store),
      newest: () =>
        cache.copy().match(
          ({ catalog }) => okAsync(catalog.version),
          () => store.current().map((current) => current?.version ?? 0),
        ),
      changes: makeCatalogChanges({ store }),
      publish: (command) =>
        publish(command).andThrough(({ published }) =>
          published ? ResultAsync.fromSafePromise(cache.atLeast(published.version)) : okAsync(undefined),
        ),
    },
  };
};
