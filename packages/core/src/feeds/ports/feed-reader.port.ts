import type { Result, ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { FeedFormat } from '../domain/feed.ts';
import type { FatalError } from '../domain/load.ts';
import type { RawOffer, RawProblem } from '../domain/raw-offer.ts';
import type { ReadLimits } from '../domain/read-limits.ts';

/** A stored file. It can be read several times and in parts. */
export type FeedSource = {
  readonly bytes: number;
  readonly read: (range?: {
    readonly from: number;
    readonly to?: number;
  }) => ResultAsync<AsyncIterable<Uint8Array>, Unavailable>;
};

/** `warnings` are about the file, not about an offer. `bytesRead` counts stored bytes. */
export type ReadStep = {
  readonly offers: readonly RawOffer[];
  readonly warnings: readonly RawProblem[];
  readonly bytesRead: number;
};
/** The file as a whole can't be used. */
export type BrokenFile = { readonly kind: 'BrokenFile'; readonly fatal: FatalError };

export type ReadOptions = {
  readonly format: FeedFormat;
  readonly limits: ReadLimits;
  /** The site that was crawled: its offers are checked by the schema of that source. */
  readonly parsedFrom?: string | undefined;
};

/** Reads a file of any size in constant memory. */
export interface FeedReader {
  /**
   * Looks at the end of the file first: a file that was cut off is refused before its first offer. An error ends the
   * reading. A mistake inside an offer is a problem of that offer and ends nothing.
   */
  read(source: FeedSource, options: ReadOptions): AsyncIterable<Result<ReadStep, BrokenFile | Unavailable>>;
}
