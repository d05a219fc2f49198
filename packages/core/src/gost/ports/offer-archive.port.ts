import type { ResultAsync } from 'neverthrow';
import type { BlobHash, Unavailable } from '../../kernel/index.ts';
import type { ArchiveMove, ArchivePointer, SegmentRewrite } from '../domain/archiving.ts';
import type { Conflict } from '../domain/commit-unit.ts';
import type { SellerId } from '../domain/offer.ts';
import type { OfferId } from '../domain/offer-id.ts';

/** No segment holds more offers: so many are moved together. */
export const SEGMENT_OFFERS_MAX = 1_000;
/** The caller keeps their entries of history within this, so that any database takes them as one transaction; an offer with more goes alone. */
export const SEGMENT_ENTRIES_MAX = 5_000;

/**
 * Where offers are that have left the store. Their bytes are in segments (blobs); here is who is where, in the database of
 * the offers: an offer is in one of the two places at every moment. A segment holds exactly the offers that point into it,
 * or it is nobody's; what is condemned is nobody's for ever, and may be deleted.
 */
export interface OfferArchive {
  /** Those of `ids` (1000 at most) that are archived, in any order. Sees every move that was answered before it began. */
  find(ids: readonly OfferId[]): ResultAsync<readonly ArchivePointer[], Unavailable>;
  /**
   * Moves offers out of the store, all of one segment and all or none: record, history, lines with their counts and
   * totals, and timer go as the pointer comes. Sales stay, and so does what is queued. Answers the offers that are not at
   * their pointers' versions: when there are any, nothing has moved. Nothing moves into a condemned segment: then it is
   * all of them. On `Unavailable` they have moved, or not, or will have.
   */
  move(moves: readonly ArchiveMove[]): ResultAsync<readonly OfferId[], Unavailable>;
  /** What is archived of a seller, in the order of the ids, after the one given, at most `limit` (and 1000). */
  ofSeller(
    seller: SellerId,
    page: { readonly after?: OfferId; readonly limit: number },
  ): ResultAsync<readonly ArchivePointer[], Unavailable>;
  /** All that is in a segment, in any order. */
  ofSegment(segment: BlobHash): ResultAsync<readonly ArchivePointer[], Unavailable>;
  /** Those of the segments (1000 at most) that an offer is in, in any order. */
  named(segments: readonly BlobHash[]): ResultAsync<readonly BlobHash[], Unavailable>;
  /**
   * Puts every pointer of a segment to its new place, queues what must be told, and condemns the old segment, all or none.
   * Refused when the offers are not exactly those that the segment has now, or the new segment is condemned.
   */
  rewrite(rewrite: SegmentRewrite): ResultAsync<void, Conflict | Unavailable>;
  /**
   * False when an offer is in the segment, and then nothing has changed. One that is condemned already counts as not deleted
   * again: a put that came late may have brought its bytes back.
   */
  condemn(segment: BlobHash): ResultAsync<boolean, Unavailable>;
  /** Some that are condemned and of which nobody has said that they are deleted, at most `limit` (and 1000). */
  condemned(limit: number): ResultAsync<readonly BlobHash[], Unavailable>;
  /** Says that the bytes of these condemned segments (1000 at most) are gone; condemned they stay. */
  deleted(segments: readonly BlobHash[]): ResultAsync<void, Unavailable>;
}
