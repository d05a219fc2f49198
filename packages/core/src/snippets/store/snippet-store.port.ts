import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { RowKey, SnippetWrite, StoredRow, WriteOutcome } from './stored-row.ts';

export type KeyPage = {
  /** Rows after this one, in the order of the UTF-8 bytes of key and language. */
  readonly after?: { readonly key: string; readonly language: string };
  readonly prefix?: string;
  readonly limit: number;
};
export type ListedRow = { readonly key: string; readonly language: string; readonly row: StoredRow };

/** Snippets by service, key prefix, key and language, each row with a version. */
export interface SnippetStore {
  /**
   * Returns a row or undefined for each key, in the order of `keys`, at most 1000. All rows are of one moment: a write is seen
   * whole or not at all. An acknowledged write is seen. A row whose time is over by the database's clock is a tombstone.
   */
  read(keys: readonly RowKey[]): ResultAsync<readonly (StoredRow | undefined)[], Unavailable>;
  /**
   * Commits each write whole or not at all, and returns one outcome for each. Writes of one row are applied in their order.
   *
   * - Without `record` all rows get one version that is not before the database's clock and above every stored version of the
   *   rows, tombstones included.
   * - With `record` a row is written only if the record's version supersedes the stored one; newer rows stay. If a row is
   *   absent and the record is older than `tombstoneMs`, nothing is written: `tooOld`.
   * - A write without content leaves a tombstone with the version, also where no row was.
   * - The time to live runs from the version's time. A record that is expired already leaves a tombstone.
   * - If the condition does not hold, nothing is written.
   */
  commit(
    writes: readonly SnippetWrite[],
    options: { readonly tombstoneMs: number },
  ): ResultAsync<readonly WriteOutcome[], Unavailable>;
  /**
   * Turns at most `limit` rows of the shard whose time is over into tombstones, and deletes tombstones whose version is older
   * than `tombstoneMs`. Returns how many rows it changed; 0 means that nothing is due.
   */
  purgeDue(
    shard: number,
    options: { readonly tombstoneMs: number; readonly limit: number },
  ): ResultAsync<number, Unavailable>;
  /** Lists rows of a prefix, tombstones included, at most 1000. Contents are left out of tombstones only. */
  list(place: Pick<RowKey, 'service' | 'kps'>, page: KeyPage): ResultAsync<readonly ListedRow[], Unavailable>;
  /** Deletes at most `limit` rows of a prefix, tombstones included. Returns how many; 0 means that the prefix is empty. */
  drop(place: Pick<RowKey, 'service' | 'kps'>, limit: number): ResultAsync<number, Unavailable>;
}
