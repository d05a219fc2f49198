import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { CatalogContent } from '../domain/catalog.ts';

/** Where a cache gets the catalogue from: the service over the network, or a store in the same process. */
export interface CatalogSource {
  /** The newest version; 0 before the first. */
  newest(): ResultAsync<number, Unavailable>;
  /** The newest version with all of its content, as one: never a mix of two. Undefined before the first. */
  fetch(): ResultAsync<
    { readonly version: number; readonly content: CatalogContent } | undefined,
    Unavailable
  >;
}
