import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import { catalogOf, type Catalog } from '../domain/catalog.ts';
import type { CatalogStore, UnknownVersion } from '../ports/catalog-store.port.ts';
import type { CatalogCache } from './catalog-cache.ts';

/** No version is published yet. */
export type CatalogEmpty = { readonly kind: 'CatalogEmpty' };
/** The catalogue of a version; 0 is the newest. The same version gives the same object, so its own caches are kept. */
export type GetCatalog = (
  version: number,
) => ResultAsync<Catalog, CatalogEmpty | UnknownVersion | Unavailable>;

/** Old versions that are kept in memory. */
const REMEMBERED = 4;

/** Reads the newest version from the cache and older ones from the store. */
export const makeGetCatalog = (
  cache: Pick<CatalogCache, 'copy'>,
  store: Pick<CatalogStore, 'load'>,
): GetCatalog => {
  const remembered = new Map<number, Catalog>();
  const old = (version: number): ResultAsync<Catalog, UnknownVersion | Unavailable> => {
    const known = remembered.get(version);
    if (known) return okAsync(known);
    return store.load(version).map((content) => {
      const made = catalogOf(version, content);
      remembered.set(version, made);
      const [first] = remembered.keys();
      if (remembered.size > REMEMBERED && first !== undefined) remembered.delete(first);
      return made;
    });
  };
  return (version) => {
    const copy = cache.copy();
    if (copy.isOk() && (version === 0 || version === copy.value.catalog.version))
      return okAsync(copy.value.catalog);
    return version === 0 ? errAsync({ kind: 'CatalogEmpty' }) : old(version);
  };
};
