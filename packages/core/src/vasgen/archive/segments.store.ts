import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import {
  putSegmentBytes,
  readSegmentBytes,
  unavailable,
  type BlobStore,
  type Codec,
  type SegmentLost,
  type Unavailable,
} from '../../kernel/index.ts';
import {
  ARCHIVE_AREA,
  segmentChecksum,
  type ArchiveSegment,
  type SegmentContent,
  type SegmentRow,
} from './archive-segment.ts';

/** The stored bytes are not those that were written. */
export type SegmentDamaged = { readonly kind: 'SegmentDamaged'; readonly message: string };

/** Writes a segment. No row names it yet. */
export const putSegment = (
  blobs: Pick<BlobStore, 'put'>,
  codec: Codec<ArchiveSegment>,
  segment: ArchiveSegment,
): ResultAsync<SegmentContent, Unavailable> => {
  const bytes = codec.encode(segment);
  return putSegmentBytes(blobs, ARCHIVE_AREA, bytes).map(({ hash }) => ({
    hash,
    checksum: segmentChecksum(bytes),
    bytes: bytes.length,
    records: segment.records.length,
  }));
};

/** Reads the segment that a row names, and checks its bytes. */
export const readSegment = (
  blobs: Pick<BlobStore, 'read'>,
  codec: Codec<ArchiveSegment>,
  { hash, checksum }: Pick<SegmentRow, 'hash' | 'checksum'>,
): ResultAsync<ArchiveSegment, SegmentLost | SegmentDamaged | Unavailable> =>
  readSegmentBytes(blobs, { area: ARCHIVE_AREA, hash }).andThen(
    (bytes): Result<ArchiveSegment, SegmentDamaged> => {
      if (segmentChecksum(bytes) !== checksum)
        return err({ kind: 'SegmentDamaged', message: `segment ${hash} does not have its checksum` });
      const segment = codec.decode(bytes);
      return segment.isErr()
        ? err({ kind: 'SegmentDamaged', message: `segment ${hash} can't be read: ${segment.error.what}` })
        : ok(segment.value);
    },
  );

/** A segment that is lost or damaged is not a passing failure. */
export const asUnavailable = (error: SegmentLost | SegmentDamaged | Unavailable): Unavailable =>
  error.kind === 'Unavailable' ? error : unavailable('archive segment', error, false);
