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
/** The caller's chunks threw. */
export type BlobSourceFailed = { readonly kind: 'BlobSourceFailed'; readonly cause: unknown };
/** The blob has only `bytes` bytes, so the range is outside of it. */
export type InvalidRange = { readonly kind: 'InvalidRange'; readonly bytes: number };

/** From `from` up to, not including, `to`; without `to` up to the end. */
export type BlobRange = { readonly from: number; readonly to?: number };

/** Stores bytes by the hash of their content. Equal content in one area is one blob. */
export interface BlobStore {
  /**
   * Streams the chunks; a real backend never holds all of them in memory. When the promise resolves, the blob is durable
   * and every process can read it. When the put fails, or the process dies first, no blob and no part of one exists.
   * Putting content that exists, or that another caller puts at the same time, succeeds with the same reference.
   */
  put(
    area: BlobArea,
    chunks: AsyncIterable<Uint8Array>,
    limits: { readonly bytesMax: number },
  ): ResultAsync<BlobRef, BlobTooLarge | BlobSourceFailed | Unavailable>;
  /**
   * Returns the content, or the part of it in `range`. A `to` beyond the end means the end. A range of no bytes is invalid.
   * If the blob is lost while it is read, the iteration throws; it never ends early.
   */
  read(
    blob: BlobName,
    options?: { readonly range?: BlobRange },
  ): ResultAsync<AsyncIterable<Uint8Array>, BlobNotFound | InvalidRange | Unavailable>;
  stat(blob: BlobName): ResultAsync<BlobRef, BlobNotFound | Unavailable>;
  /** Lists the blobs of an area by ascending hash, after `after`, at most `limit` and at most 1000. */
  list(
    area: BlobArea,
    page: { readonly after?: BlobHash; readonly limit: number },
  ): ResultAsync<readonly BlobRef[], Unavailable>;
  /** Deletes the blob before it resolves. Deleting a blob that does not exist succeeds. */
  delete(blob: BlobName): ResultAsync<void, Unavailable>;
}

/** Computes the hash that names a blob of this content. */
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
