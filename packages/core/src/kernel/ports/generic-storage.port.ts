import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';

/** `version` is 1 for the first write of a key and grows by one with every write. 0 means that the key does not exist. */
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

/** Stores small values by key with compare-and-set, for example cursors and last results. Each space has its own keys. */
export interface GenericStorage {
  /** Returns the values that exist, in the order of `keys`. Reads its own writes. */
  get(space: string, keys: readonly string[]): ResultAsync<readonly StoredValue[], Unavailable>;
  /** Stores the value if the current version is `expected` (0: the key must not exist). Returns the new version. On conflict it writes nothing. */
  put(
    space: string,
    key: string,
    value: Uint8Array,
    expected: number,
  ): ResultAsync<number, VersionConflict | ValueTooLarge | Unavailable>;
  /** Removes the key if its version is `expected`. A removed key that is put again starts at version 1. */
  remove(space: string, key: string, expected: number): ResultAsync<void, VersionConflict | Unavailable>;
  /** Lists values by the UTF-8 bytes of their keys, after `after`, at most `limit` and at most 1000. */
  list(
    space: string,
    options: { readonly after?: string; readonly limit: number },
  ): ResultAsync<readonly StoredValue[], Unavailable>;
}
