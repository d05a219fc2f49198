import type { FeedError, FeedKey, FeedResult } from './feed.ts';
import type { Geo, OfferContent, OfferSource, SellerId } from '../offer/offer.ts';
import type { PhotoError } from '../offer/offer-change.ts';
import type { OfferId } from '../offer/offer-id.ts';

/** An offer as a feed has it. Errors that the feed processor found stand beside it; without content it could not be read. */
export type FeedEntry = {
  /** Its place in the feed: with the load it names the entry. */
  readonly ordinal: number;
  readonly externalId: string;
  readonly line: number | undefined;
  readonly content: OfferContent | undefined;
  readonly geo: Geo | undefined;
  readonly errors: readonly FeedError[];
};
/** `task`: the load, they only grow in a feed. `generation`: of the processor that sends; it only grows too. */
type Sent = FeedKey & { readonly task: number; readonly generation: number };
export type FeedBatch = Sent & {
  readonly kind: 'batch';
  /** 0, 1, 2, … within (task, generation). */
  readonly batch: number;
  readonly entries: readonly FeedEntry[];
};
export type FeedTerminal = Sent & {
  readonly kind: 'terminal';
  /** What was sent: anything else that arrived is incomplete. */
  readonly batches: number;
  readonly offers: number;
  readonly reason: 'loaded' | 'feed_removed';
  /** What becomes of offers that the load did not have. */
  readonly absent: 'remove' | 'manual';
  /** An operator has approved the removal: the guard against mass deletion is skipped. */
  readonly force: boolean;
};
export type FeedMessage = FeedBatch | FeedTerminal;

export type EntryAnswer = FeedResult & {
  readonly ordinal: number;
  readonly externalId: string;
  readonly offerId: OfferId | undefined;
  /** Only with errors, so that a seller recognises the offer. */
  readonly title: string | undefined;
};
/** `incomplete`: something before it is missing, nothing was done. `skipped`: a newer load or processor was here. */
export type BatchAnswer = Sent & {
  readonly kind: 'batch';
  readonly batch: number;
  readonly outcome: 'applied' | 'incomplete' | 'skipped';
  readonly entries: readonly EntryAnswer[];
};
/** `held`: too many offers would go; nothing was removed. `unseen` of `known` offers were not in the load. */
export type TerminalAnswer = Sent & {
  readonly kind: 'terminal';
  readonly outcome: 'done' | 'held' | 'incomplete' | 'skipped';
  readonly removed: number;
  readonly manual: number;
  readonly known: number;
  readonly unseen: number;
};
export type FeedAnswer = BatchAnswer | TerminalAnswer;

/** All pictures of a feed's offer that could not be had; none: they are there now, or the offer is gone from the feed. */
export type FeedPhotoErrors = {
  readonly seller: SellerId;
  readonly source: OfferSource;
  readonly offerId: OfferId;
  readonly errors: readonly PhotoError[];
};
