import type { ResultAsync } from 'neverthrow';
import type { BlobHash, NamedSegments, Unavailable } from '../../kernel/index.ts';
import type { ArchiveMove, ArchivePointer, SegmentRewrite } from './archiving.ts';
import type { Conflict } from '../commit/commit-unit.ts';
import type { SellerId } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';

/** The most offers of a segment; they move together. */
export const SEGMENT_OFFERS_MAX = 1_000;
/** The most history entries of a segment, so that any database takes them as one transaction. An offer with more gets a segment of its own. */
export const SEGMENT_ENTRIES_MAX = 5_000;

/**
 * Pointers of archived offers, in the database of the offers. The offers' bytes are in segments (blobs). An offer is either
 * in the store or in the archive at every moment. A segment is used while a pointer names it. A condemned segment never gets
 * a pointer again and may be deleted.
 */
export interface OfferArchive extends NamedSegments {
  /** The pointers of those `ids` (1000 at most) that are archived, in any order. Sees every move that was answered before. */
  find(ids: readonly OfferId[]): ResultAsync<readonly ArchivePointer[], Unavailable>;
  /**
   * Moves all offers of one segment out of the store, or none: removes record, history, lines with their counts and
   * totals, and timer, and adds the pointer. Sales and queued records stay. Returns the offers that are not at their
   * pointers' versions; if there are any, nothing has moved. If the segment is condemned, it returns all of them. After
   * `Unavailable` the outcome is unknown, and the move may still happen.
   */
  move(moves: readonly ArchiveMove[]): ResultAsync<readonly OfferId[], Unavailable>;
  /** Archived offers of a seller in the order of their ids, after `after`, at most `limit` (and 1000). */
  ofSeller(
    seller: SellerId,
    page: { readonly after?: OfferId; readonly limit: number },
  ): ResultAsync<readonly ArchivePointer[], Unavailable>;
  /** All pointers into a segment, in any order. */
  ofSegment(segment: BlobHash): ResultAsync<readonly ArchivePointer[], Unavailable>;
  /**
   * Moves every pointer of a segment to its new place, queues the messages, and condemns the old segment, all or none.
   * Refused if the offers are not exactly those of the segment, or if the new segment is condemned.
   */
  rewrite(rewrite: SegmentRewrite): ResultAsync<void, Conflict | Unavailable>;
}
