import { okAsync } from 'neverthrow';
import { unavailable } from '../../kernel/index.ts';
import type { CatalogSource } from '../ports/catalog-source.port.ts';
import type { CatalogStore } from '../ports/catalog-store.port.ts';

/** A store in the same process as a source. */
export const storeSource = (store: CatalogStore): CatalogSource => ({
  newest: () => store.current().map((current) => current?.version ?? 0),
  fetch: () =>
    store.current().andThen((current) => {
      if (!current) return okAsync(undefined);
      // Between the two steps the version can only have been dropped by very many newer ones: ask again.
      const gone = () => unavailable(`catalogue version ${current.version} was dropped meanwhile`);
      return store
        .load(current.version)
        .map((content) => ({ version: current.version, content }))
        .mapErr((error) => (error.kind === 'UnknownVersion' ? gone() : error));
    }),
});
