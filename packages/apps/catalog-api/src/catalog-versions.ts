import type { CatalogEmpty } from '@doska/adapters-grpc';
import {
  catalogOf,
  type Catalog,
  type CatalogCache,
  type CatalogStore,
  type UnknownVersion,
} from '@doska/core/catalog';
import type { Unavailable } from '@doska/core/kernel';
import { errAsync, okAsync, type ResultAsync } from 'neverthrow';

/** Old versions that were asked for, made for asking once. */
const REMEMBERED = 4;

/** The newest version from the cache, older ones from the store. */
export const catalogVersions = (cache: CatalogCache, store: CatalogStore) => {
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
  return (version: number): ResultAsync<Catalog, CatalogEmpty | UnknownVersion | Unavailable> => {
    const copy = cache.copy();
    if (copy.isOk() && (version === 0 || version === copy.value.catalog.version))
      return okAsync(copy.value.catalog);
    return version === 0 ? errAsync({ kind: 'CatalogEmpty' }) : old(version);
  };
};
