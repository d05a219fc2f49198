import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { CatalogContent } from '../domain/catalog.ts';

export type PublishedVersion = { readonly version: number; readonly publishedAtMs: number };
/** Another publisher was first; nothing is written. */
export type VersionTaken = {
  readonly kind: 'VersionTaken';
  readonly expected: number;
  readonly actual: number;
};
/** The version was never published, or is not kept any more. */
export type UnknownVersion = { readonly kind: 'UnknownVersion'; readonly version: number };

/** The largest version that a store can keep; a caller may ask for no larger one. */
export const CATALOG_VERSION_MAX = 2 ** 31 - 1;

/** Versions of the catalogue, each whole. Versions count 1, 2, 3, … without gaps. */
export interface CatalogStore {
  /** The newest version; undefined before the first. Reads its own writes. */
  current(): ResultAsync<PublishedVersion | undefined, Unavailable>;
  /**
   * Stores `content` as version `expected` + 1, if `expected` (0 = none) is still the newest. Atomic: a version is
   * seen whole or not at all, also when the publisher dies on the way. One of several racing publishers wins.
   */
  publish(
    content: CatalogContent,
    expected: number,
  ): ResultAsync<PublishedVersion, VersionTaken | Unavailable>;
  load(version: number): ResultAsync<CatalogContent, UnknownVersion | Unavailable>;
  /** Those that can be loaded, newest first: the newest always, and so many before it as are kept. */
  versions(): ResultAsync<readonly PublishedVersion[], Unavailable>;
}
