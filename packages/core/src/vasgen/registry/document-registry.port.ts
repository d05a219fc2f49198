import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { EpochSchema } from '../schema/epoch-schema.ts';
import type { RegistryRow, RowHead } from './registry-row.ts';

/** The most rows in one answer, and writes in one call. */
export const REGISTRY_ROWS_MAX = 1_000;
/** The most bytes of bodies in one call of `accept`: a transaction of a small database holds about 1 MB. */
export const ACCEPT_BYTES_MAX = 700_000;

export type RegistryWrite = {
  readonly row: RegistryRow;
  /** The shard of the queue that this document always goes to. */
  readonly shard: number;
  /** Whether it may be the first row of its document. */
  readonly mayBeFirst: boolean;
  /** Its bodies must leave the archive too. */
  readonly erases: boolean;
};
export type WriteOutcome =
  /** Row, queue element and ttl are stored. */
  | { readonly kind: 'written' }
  /** An equal or fresher row stands. `raised`: an element for it was added to `main`. */
  | { readonly kind: 'kept'; readonly stored: RowHead; readonly raised: boolean }
  /** It may not be the first row, and there is none. */
  | { readonly kind: 'absent' }
  /** Its epoch is not living, so nothing was written. */
  | { readonly kind: 'unknownEpoch' };
/** Another receiver has grown the schema meanwhile; nothing was written. */
export type SchemaMoved = { readonly kind: 'SchemaMoved'; readonly epoch: number };

export type SchemaGrowth = { readonly epoch: number; readonly to: EpochSchema };

/** A place in the order of a scan. */
export type ScanCursor = { readonly hash: number; readonly pk: string };
export type RegistryPage = { readonly rows: readonly RegistryRow[]; readonly next: ScanCursor | undefined };

export interface DocumentRegistry {
  /**
   * Commits the writes in one serializable transaction. Inside of it each row is compared with the one that stands for
   * its pk and epoch, and is written only if it is fresher; then its queue element (in the queue `row.lane`) and its ttl
   * are written with it. Outcomes are in the order of the writes. No two writes have the same pk and epoch.
   *
   * A row that stays, is in `bulk` and has the version of a write of lane `main` gets one element in `main` and its lane
   * becomes `main`.
   *
   * `growth` comes with exactly one write. It is stored only if the write is, and only if the schema of the epoch has
   * the number below; else `SchemaMoved`. After `Unavailable` the outcome is unknown: all is written or nothing is.
   */
  accept(
    client: ClientName,
    writes: readonly RegistryWrite[],
    growth?: SchemaGrowth,
  ): ResultAsync<readonly WriteOutcome[], SchemaMoved | Unavailable>;
  /** The rows of these pks in the epoch, in any order; at most 1000 pks. */
  find(
    client: ClientName,
    epoch: number,
    pks: readonly string[],
  ): ResultAsync<readonly RegistryRow[], Unavailable>;
  /**
   * Every row of an epoch, tombstones too, in the order of the pks' hashes, then pks. A row that stands during the whole
   * scan is returned once. A page has at most `limit` rows (and 1000) and about 1 MB.
   */
  scan(
    client: ClientName,
    epoch: number,
    page: { readonly after?: ScanCursor; readonly limit: number },
  ): ResultAsync<RegistryPage, Unavailable>;
  /** Living rows of a shard whose ttl is at or before `nowMs`, the oldest first. */
  expired(
    client: ClientName,
    shard: number,
    nowMs: number,
    limit: number,
  ): ResultAsync<readonly RowHead[], Unavailable>;
  /**
   * Deletes tombstones of a shard that were written before `beforeMs`, the oldest first, at most `limit`. Returns how
   * many were deleted.
   */
  forgetTombstones(
    client: ClientName,
    shard: number,
    beforeMs: number,
    limit: number,
  ): ResultAsync<number, Unavailable>;
  /** Deletes rows of an epoch that is gone, with their ttls, at most `limit`. Rows of a living epoch stay. Returns how many. */
  dropRows(client: ClientName, epoch: number, limit: number): ResultAsync<number, Unavailable>;
}
