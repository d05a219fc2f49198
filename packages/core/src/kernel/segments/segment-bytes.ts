import { ResultAsync } from 'neverthrow';
import { unavailable, type Unavailable } from '../errors.ts';
import type { BlobArea, BlobName, BlobRange, BlobRef, BlobStore } from '../ports/blob-store.port.ts';

export type SegmentLost = { readonly kind: 'SegmentLost' };

const gather = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
};
/** The bytes of a segment, or of a range of it. */
export const readSegmentBytes = (
  blobs: Pick<BlobStore, 'read'>,
  segment: BlobName,
  range?: BlobRange,
): ResultAsync<Uint8Array, SegmentLost | Unavailable> =>
  blobs
    .read(segment, range ? { range } : {})
    .mapErr((error): SegmentLost | Unavailable => {
      if (error.kind === 'BlobNotFound') return { kind: 'SegmentLost' };
      return error.kind === 'InvalidRange' ? unavailable('a segment is cut', error, false) : error;
    })
    .andThen((chunks) =>
      ResultAsync.fromPromise(gather(chunks), (cause) => unavailable('a segment could not be read', cause)),
    );

async function* inOne(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
/** Writes a segment. No row names it yet. */
export const putSegmentBytes = (
  blobs: Pick<BlobStore, 'put'>,
  area: BlobArea,
  bytes: Uint8Array,
): ResultAsync<BlobRef, Unavailable> =>
  blobs
    .put(area, inOne(bytes), { bytesMax: bytes.length })
    .mapErr((error) =>
      error.kind === 'Unavailable' ? error : unavailable('a segment could not be put', error, false),
    );
