import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import {
  putSegmentBytes,
  readSegmentBytes,
  unavailable,
  type BlobArea,
  type BlobHash,
  type BlobName,
  type BlobRange,
  type BlobStore,
  type Codec,
  type Ids,
  type SegmentLost,
  type Unavailable,
} from '../../kernel/index.ts';
import type { ArchivedOffer, ArchivePointer } from './archiving.ts';
import { segmentOf, type SegmentSlice } from './segment.ts';

/** Segments that a sweep found unnamed, and when it first did. */
export const UNNAMED_SPACE = 'gost.archive-unnamed';
/** Where segments are. */
export const ARCHIVE_AREA = 'gost-archive' as BlobArea;

/** The bytes of a segment, or of a range of it. */
export const readSegment = (
  blobs: Pick<BlobStore, 'read'>,
  hash: BlobName['hash'],
  range?: BlobRange,
): ResultAsync<Uint8Array, SegmentLost | Unavailable> =>
  readSegmentBytes(blobs, { area: ARCHIVE_AREA, hash }, range);
/** The record that a pointer leads to. */
export const recordIn = (
  bytes: Uint8Array,
  { offerId, version }: ArchivePointer,
  codec: Codec<ArchivedOffer>,
): Result<ArchivedOffer, Unavailable> =>
  codec
    .decode(bytes)
    .mapErr((cause) => unavailable('an archived offer is malformed', cause, false))
    .andThen((found) =>
      found.offer.id === offerId && found.offer.version === version
        ? ok(found)
        : err(unavailable('a pointer of the archive leads to another offer', undefined, false)),
    );

export type PutSegment = { readonly segment: BlobHash; readonly slices: readonly SegmentSlice[] };
/** Writes a segment of these records under its own name. No pointer names it yet. */
export const putSegment = (
  blobs: Pick<BlobStore, 'put'>,
  ids: Ids,
  records: readonly Uint8Array[],
): ResultAsync<PutSegment, Unavailable> => {
  const { bytes, slices } = segmentOf(ids.next(), records);
  return putSegmentBytes(blobs, ARCHIVE_AREA, bytes).map(({ hash }) => ({ segment: hash, slices }));
};
