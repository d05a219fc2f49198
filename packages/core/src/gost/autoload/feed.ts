import type { OfferSource, SellerId } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';

/** One of a seller's feeds. Feeds know nothing of each other. */
export type FeedKey = { readonly seller: SellerId; readonly namespace: OfferSource['namespace'] };

/** What is wrong with an entry: found by the feed processor, or by us. An `error` leaves the offer as it is. */
export type FeedError = {
  readonly level: 'error' | 'warning';
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly value: string | undefined;
  readonly line: number | undefined;
};
export const FEED_VERDICTS = ['inserted', 'updated', 'unchanged', 'rejected', 'skipped'] as const;
export type FeedVerdict = (typeof FEED_VERDICTS)[number];
/** What became of an entry: its answer, also when the entry is delivered again. */
export type FeedResult = {
  readonly verdict: FeedVerdict;
  readonly errors: readonly FeedError[];
};

/** What is known of an external id of a feed: the offer it is, and when it was last seen. */
export type FeedRow = {
  readonly externalId: string;
  /** Undefined: it was never good enough to become one. */
  readonly offerId: OfferId | undefined;
  /** The load that last had it, its place there, and what became of it. */
  readonly task: number;
  readonly ordinal: number;
  readonly result: FeedResult;
  /** Set when the feed dropped a banned offer: if it comes back, it gets its id and its ban back. */
  readonly removedAtUs: number | undefined;
};

/** The progress of a terminal message; `held`: it waits for a terminal with `force`. */
export type TerminalProgress = {
  readonly state: 'running' | 'held' | 'done';
  readonly removed: number;
  readonly manual: number;
};
/** Where a feed stands: the load it is in, the generation of its processor, the batch that is due. */
export type FeedProgress = {
  readonly task: number;
  readonly generation: number;
  readonly nextBatch: number;
  readonly offersSeen: number;
  /** When it was last answered; answers of a feed strictly follow each other, whatever the clocks say. */
  readonly answeredAtUs: number;
  /** Of `task`; undefined until its terminal message is being carried out. */
  readonly terminal: TerminalProgress | undefined;
};
/** `version` counts every change, 0: nothing was ever loaded. */
export type StoredProgress = { readonly version: number; readonly progress: FeedProgress | undefined };

/** What a unit changes of a feed, if its progress is still at the version that was seen. */
export type FeedMove = FeedKey & {
  readonly expectedVersion: number;
  readonly progress: FeedProgress;
  readonly rows: readonly FeedRow[];
  /** External ids that are forgotten. */
  readonly dropped: readonly string[];
};
