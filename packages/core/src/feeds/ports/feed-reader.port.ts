import type { Result, ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { FeedFormat } from '../domain/feed.ts';
import type { FatalError } from '../domain/load.ts';
import type { RawOffer, RawProblem } from '../domain/raw-offer.ts';

/** A stored file. It can be read several times and in parts. */
export type FeedSource = {
  readonly bytes: number;
  readonly read: (range?: {
    readonly from: number;
    readonly to?: number;
  }) => ResultAsync<AsyncIterable<Uint8Array>, Unavailable>;
};
export type ReadLimits = {
  readonly decodedBytesMax: number;
  /** Decoded bytes for each stored byte. */
  readonly ratioMax: number;
  readonly depthMax: number;
  readonly nameCharsMax: number;
  readonly attributeCharsMax: number;
  readonly attributesMax: number;
  /** Longer texts of an element are cut. */
  readonly textCharsMax: number;
  readonly offersMax: number;
};
export const defaultReadLimits: ReadLimits = {
  decodedBytesMax: 8 * 2 ** 30,
  ratioMax: 200,
  depthMax: 16,
  nameCharsMax: 200,
  attributeCharsMax: 2_000,
  attributesMax: 20,
  textCharsMax: 100_000,
  offersMax: 10_000_000,
};

/** `warnings` are about the file, not about an offer. `bytesRead` counts stored bytes. */
export type ReadStep = {
  readonly offers: readonly RawOffer[];
  readonly warnings: readonly RawProblem[];
  readonly bytesRead: number;
};
/** The file as a whole can't be used. */
export type BrokenFile = { readonly kind: 'BrokenFile'; readonly fatal: FatalError };

/** Reads a file of any size in constant memory. */
export interface FeedReader {
  /**
   * Looks at the end of the file first: a file that was cut off is refused before its first offer. An error ends the
   * reading. A mistake inside an offer is a problem of that offer and ends nothing.
   */
  read(
    source: FeedSource,
    options: { readonly format: FeedFormat; readonly limits: ReadLimits },
  ): AsyncIterable<Result<ReadStep, BrokenFile | Unavailable>>;
}
