import { err, ok, ResultAsync, type Result } from 'neverthrow';
import {
  unavailable,
  type BlobArea,
  type BlobHash,
  type BlobName,
  type BlobRange,
  type BlobStore,
  type Codec,
  type Ids,
  type Unavailable,
} from '../../kernel/index.ts';
import type { ArchivedOffer, ArchivePointer } from './archiving.ts';
import { segmentOf, type SegmentSlice } from './segment.ts';
import type { OfferArchive } from './offer-archive.port.ts';

/** Where segments are. */
export const ARCHIVE_AREA = 'gost-archive' as BlobArea;

const gather = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
};
export type SegmentLost = { readonly kind: 'SegmentLost' };
/** The bytes of a segment, or of a range of it. */
export const readSegment = (
  blobs: Pick<BlobStore, 'read'>,
  hash: BlobName['hash'],
  range?: BlobRange,
): ResultAsync<Uint8Array, SegmentLost | Unavailable> =>
  blobs
    .read({ area: ARCHIVE_AREA, hash }, range ? { range } : {})
    .mapErr((error): SegmentLost | Unavailable => {
      if (error.kind === 'BlobNotFound') return { kind: 'SegmentLost' };
      return error.kind === 'InvalidRange' ? unavailable('a segment is cut', error, false) : error;
    })
    .andThen((chunks) =>
      ResultAsync.fromPromise(gather(chunks), (cause) => unavailable('a segment could not be read', cause)),
    );
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

async function* inOne(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
export type PutSegment = { readonly segment: BlobHash; readonly slices: readonly SegmentSlice[] };
/** Writes a segment of these records under its own name. No pointer names it yet. */
export const putSegment = (
  blobs: Pick<BlobStore, 'put'>,
  ids: Ids,
  records: readonly Uint8Array[],
): ResultAsync<PutSegment, Unavailable> => {
  const { bytes, slices } = segmentOf(ids.next(), records);
  return blobs
    .put(ARCHIVE_AREA, inOne(bytes), { bytesMax: bytes.length })
    .map(({ hash }) => ({ segment: hash, slices }))
    .mapErr((error) =>
      error.kind === 'Unavailable' ? error : unavailable('a segment could not be put', error, false),
    );
};

const DELETED_AT_ONCE = 100;
/** Deletes the bytes of all condemned segments, also those that a crashed process left, and returns how many. */
export const deleteCondemned = (
  archive: Pick<OfferArchive, 'condemned' | 'deleted'>,
  blobs: Pick<BlobStore, 'delete'>,
): ResultAsync<number, Unavailable> => {
  const run = async (): Promise<Result<number, Unavailable>> => {
    for (let count = 0; ;) {
      const page = await archive.condemned(DELETED_AT_ONCE);
      if (page.isErr()) return err(page.error);
      if (page.value.length === 0) return ok(count);
      for (const hash of page.value) {
        const gone = await blobs.delete({ area: ARCHIVE_AREA, hash });
        if (gone.isErr()) return err(gone.error);
      }
      const noted = await archive.deleted(page.value);
      if (noted.isErr()) return err(noted.error);
      count += page.value.length;
    }
  };
  return new ResultAsync(run());
};
