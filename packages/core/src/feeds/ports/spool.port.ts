import type { ResultAsync } from 'neverthrow';
import type { BlobHash, BlobSourceFailed, BlobTooLarge, Unavailable } from '../../kernel/index.ts';

/** Content on the local disk, on its way into the blob store. */
export type Spooled = {
  readonly hash: BlobHash;
  readonly bytes: number;
  readonly read: () => AsyncIterable<Uint8Array>;
  /** Deletes it. May be called twice. */
  readonly discard: () => Promise<void>;
};
/** Keeps a stream on the local disk and finds the hash of its content. */
export interface Spool {
  /** A failed spool leaves nothing behind. */
  spool(
    chunks: AsyncIterable<Uint8Array>,
    limits: { readonly bytesMax: number },
  ): ResultAsync<Spooled, BlobTooLarge | BlobSourceFailed | Unavailable>;
}
