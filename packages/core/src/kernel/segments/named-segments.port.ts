import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';
import type { BlobHash } from '../ports/blob-store.port.ts';

/**
 * The database that names the segments (blobs) of an archive. A segment is used while a row names it. A condemned segment
 * is never named again and may be deleted.
 */
export interface NamedSegments {
  /** Those of the segments (1000 at most) that a row names, in any order. */
  named(segments: readonly BlobHash[]): ResultAsync<readonly BlobHash[], Unavailable>;
  /**
   * Returns false, and changes nothing, if a row names the segment. A segment that is condemned again counts as not
   * deleted: a late put may have written its bytes again.
   */
  condemn(segment: BlobHash): ResultAsync<boolean, Unavailable>;
  /** Condemned segments that are not reported deleted, at most `limit` (and 1000). */
  condemned(limit: number): ResultAsync<readonly BlobHash[], Unavailable>;
  /** Reports that the bytes of these condemned segments (1000 at most) are deleted. They stay condemned. */
  deleted(segments: readonly BlobHash[]): ResultAsync<void, Unavailable>;
}
