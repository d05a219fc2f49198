import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';

/** `version` starts at 1 and grows by one with every write of the key; 0 means: not there. */
export type StoredValue = { readonly key: string; readonly value: Uint8Array; readonly version: number };
export type VersionConflict = {
  readonly kind: 'VersionConflict';
  readonly key: string;
  readonly expected: number;
  readonly actual: number;
};
export type ValueTooLarge = {
  readonly kind: 'ValueTooLarge';
  readonly key: string;
  readonly bytes: number;
  readonly bytesMax: number;
};

/** Small keyed values (settings, cursors, last results) with compare-and-set. Keys live in spaces that don't see each other. */
export interface GenericStorage {
  /** The values that exist, in the order of `keys`. Reads its own writes. */
  get(space: string, keys: readonly string[]): ResultAsync<readonly StoredValue[], Unavailable>;
  /** Stores only if the version is still `expected` (0 = must not exist yet) and answers the new version. On conflict nothing is written. */
  put(
    space: string,
    key: string,
    value: Uint8Array,
    expected: number,
  ): ResultAsync<number, VersionConflict | ValueTooLarge | Unavailable>;
  /** Removes the key under the same check. A key that was removed and comes back starts at version 1 again. */
  remove(space: string, key: string, expected: number): ResultAsync<void, VersionConflict | Unavailable>;
  /** Keys after `after` in the order of their UTF-8 bytes, at most `limit` (1000 at most). */
  list(
    space: string,
    options: { readonly after?: string; readonly limit: number },
  ): ResultAsync<readonly StoredValue[], Unavailable>;
}
