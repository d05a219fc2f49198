import type { ResultAsync } from 'neverthrow';
import type { NamedSegments, Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { SegmentContent, SegmentKey, SegmentRow } from './archive-segment.ts';

/** The most segments, or erasures, in one answer. */
export const MANIFEST_ROWS_MAX = 1_000;

/** A stored segment has some of these records, or the bytes of the new one are condemned; nothing was written. */
export type SegmentRefused = { readonly kind: 'SegmentRefused' };
/** A document whose bodies must leave the archive. `atMs`: when it was erased. */
export type Erasure = { readonly pk: string; readonly atMs: number };
/** A place in the order of a listing: time of the last record, then topic and offset. */
export type SegmentCursor = { readonly toMs: number } & Omit<SegmentKey, 'client'>;
export type SegmentWindow = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly after?: SegmentCursor;
  readonly limit: number;
};

/** Which segments the archive of each client has. The bytes are blobs. */
export interface ArchiveManifest extends NamedSegments {
  /** The offset behind the last archived record of a partition; undefined if nothing of it is archived. */
  end(client: ClientName, log: string, partition: number): ResultAsync<number | undefined, Unavailable>;
  /** Adds a segment whose records lie behind all archived ones of its partition. */
  add(row: SegmentRow): ResultAsync<void, SegmentRefused | Unavailable>;
  find(key: SegmentKey): ResultAsync<SegmentRow | undefined, Unavailable>;
  /**
   * Segments with a record between `fromMs` and `toMs`, both included, in the order of the time of their last record, then
   * log, partition and offset. At most `limit` (and 1000).
   */
  list(client: ClientName, window: SegmentWindow): ResultAsync<readonly SegmentRow[], Unavailable>;
  /**
   * Replaces the bytes of a segment whose bytes are still `from`, notes that it was scrubbed, and condemns the old
   * bytes, all or nothing. Other bytes, or condemned new ones: `SegmentRefused`.
   */
  replace(
    key: SegmentKey,
    from: SegmentContent['hash'],
    to: SegmentContent,
    scrubbedAtMs: number,
  ): ResultAsync<void, SegmentRefused | Unavailable>;
  /** Notes that a segment with these bytes was scrubbed and held nothing to take out. Other bytes are no error. */
  scrubbed(
    key: SegmentKey,
    hash: SegmentContent['hash'],
    scrubbedAtMs: number,
  ): ResultAsync<void, Unavailable>;
  /** Segments that were scrubbed before `beforeMs`, or never, in any order; at most `limit` (and 1000). */
  unscrubbed(
    client: ClientName,
    beforeMs: number,
    limit: number,
  ): ResultAsync<readonly SegmentRow[], Unavailable>;
  /** Erasures by pk, those behind `after`; at most `limit` (and 1000). */
  erasures(
    client: ClientName,
    page: { readonly after?: string; readonly limit: number },
  ): ResultAsync<readonly Erasure[], Unavailable>;
  /** Deletes erasures that were asked for before `beforeMs`, at most `limit`. Returns how many. */
  forgetErasures(client: ClientName, beforeMs: number, limit: number): ResultAsync<number, Unavailable>;
}
