import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Brand } from '../brand.ts';
import { invalidInput, type InvalidInput, type Unavailable } from '../errors.ts';

/** A folder of blobs with one purpose, e.g. `feeds`. */
export type BlobArea = Brand<string, 'BlobArea'>;
/** SHA-256 of the content, 64 lower-case hexadecimal digits. */
export type BlobHash = Brand<string, 'BlobHash'>;
export type BlobRef = { readonly area: BlobArea; readonly hash: BlobHash; readonly bytes: number };
export type BlobName = { readonly area: BlobArea; readonly hash: BlobHash };

export type BlobNotFound = {
  readonly kind: 'BlobNotFound';
  readonly area: BlobArea;
  readonly hash: BlobHash;
};
export type BlobTooLarge = { readonly kind: 'BlobTooLarge'; readonly bytesMax: number };
/** The caller's own chunks ended with an exception. */
export type BlobSourceFailed = { readonly kind: 'BlobSourceFailed'; readonly cause: unknown };
/** `bytes` is the size of the blob that has no such range. */
export type InvalidRange = { readonly kind: 'InvalidRange'; readonly bytes: number };

/** From `from` up to, not including, `to`; without `to` up to the end. */
export type BlobRange = { readonly from: number; readonly to?: number };

/** Content-addressed bytes: what has the same content in an area is one blob. */
export interface BlobStore {
  /**
   * Stores the chunks as they come, never all in memory of a real backend. When it resolves, the blob is durable and
   * readable by everyone; when it fails, or the process dies before, there is no blob and no part of one.
   * Content that is there already, or is being put by others at the same time, is a success with the same reference.
   */
  put(
    area: BlobArea,
    chunks: AsyncIterable<Uint8Array>,
    limits: { readonly bytesMax: number },
  ): ResultAsync<BlobRef, BlobTooLarge | BlobSourceFailed | Unavailable>;
  /**
   * The content, or the part of it in `range`; a `to` beyond the end means the end, a range without a single byte is
   * invalid. Once found, a blob that is lost on the way makes the iteration throw, never end early.
   */
  read(
    blob: BlobName,
    options?: { readonly range?: BlobRange },
  ): ResultAsync<AsyncIterable<Uint8Array>, BlobNotFound | InvalidRange | Unavailable>;
  stat(blob: BlobName): ResultAsync<BlobRef, BlobNotFound | Unavailable>;
  /** Blobs of the area in the order of their hashes, those after `after`, at most `limit` (and at most 1000). */
  list(
    area: BlobArea,
    page: { readonly after?: BlobHash; readonly limit: number },
  ): ResultAsync<readonly BlobRef[], Unavailable>;
  /** The blob is gone when this resolves; deleting what is not there is a success. */
  delete(blob: BlobName): ResultAsync<void, Unavailable>;
}

/** The name that a blob of this content has, or would have. */
export type BlobDigest = (content: Uint8Array) => BlobHash;

export const BLOB_PAGE_MAX = 1000;

/** A name that is safe as a folder, a key prefix and a label alike. */
export const blobArea = (name: string): Result<BlobArea, InvalidInput> =>
  /^[a-z][a-z0-9-]{0,62}$/.test(name)
    ? ok(name as BlobArea)
    : err(
        invalidInput({
          path: 'area',
          code: 'InvalidArea',
          message: 'lower-case letters, digits and dashes, a letter first',
        }),
      );

export const blobHash = (text: string): Result<BlobHash, InvalidInput> =>
  /^[0-9a-f]{64}$/.test(text)
    ? ok(text as BlobHash)
    : err(invalidInput({ path: 'hash', code: 'InvalidHash', message: '64 lower-case hexadecimal digits' }));

/** The range as offsets within a blob of this size. */
export const resolveRange = (
  bytes: number,
  range: BlobRange | undefined,
): Result<{ readonly from: number; readonly to: number }, InvalidRange> => {
  if (range === undefined) return ok({ from: 0, to: bytes });
  const { from } = range;
  const to = Math.min(range.to ?? bytes, bytes);
  const whole = Number.isSafeInteger(from) && Number.isSafeInteger(to);
  return whole && from >= 0 && from < to ? ok({ from, to }) : err({ kind: 'InvalidRange', bytes });
};
