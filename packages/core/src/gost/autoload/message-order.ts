import type { FeedProgress } from './feed.ts';
import type { FeedBatch, FeedTerminal } from './feed-message.ts';

/** Where a feed stands before anything was ever loaded. */
export const noProgress: FeedProgress = {
  task: 0,
  generation: 0,
  nextBatch: 0,
  offersSeen: 0,
  answeredAtUs: 0,
  terminal: undefined,
};

type Sent = Pick<FeedBatch, 'task' | 'generation'>;
/** An older load, or a processor that has been replaced: whatever it sends is refused whole. */
const isStale = (progress: FeedProgress, { task, generation }: Sent): boolean =>
  task < progress.task || generation < progress.generation;
/** The progress that a message belongs to: a newer load, or a newer processor of the same one, starts at the beginning. */
const entered = (progress: FeedProgress, { task, generation }: Sent): FeedProgress =>
  task === progress.task && generation === progress.generation
    ? progress
    : { ...noProgress, task, generation, answeredAtUs: progress.answeredAtUs };

/** `duplicate`: it was applied, and its answer went with it. `gap`: something before it is missing. */
export type BatchOrder =
  | { readonly kind: 'apply' | 'gap'; readonly progress: FeedProgress }
  | { readonly kind: 'skipped'; readonly progress: FeedProgress }
  | { readonly kind: 'duplicate' };

export const placeBatch = (stored: FeedProgress, message: FeedBatch): BatchOrder => {
  if (isStale(stored, message)) return { kind: 'skipped', progress: stored };
  const progress = entered(stored, message);
  if (message.batch < progress.nextBatch) return { kind: 'duplicate' };
  // Behind its own terminal message nothing comes any more.
  if (progress.terminal) return { kind: 'skipped', progress };
  return { kind: message.batch > progress.nextBatch ? 'gap' : 'apply', progress };
};

/** `over`: it was carried out, or is held, and that was answered. */
export type TerminalOrder =
  | { readonly kind: 'carry-out' | 'incomplete' | 'skipped'; readonly progress: FeedProgress }
  | { readonly kind: 'over' };

export const placeTerminal = (stored: FeedProgress, message: FeedTerminal): TerminalOrder => {
  if (isStale(stored, message)) return { kind: 'skipped', progress: stored };
  const progress = entered(stored, message);
  const state = progress.terminal?.state;
  if (state === 'done' || (state === 'held' && !message.force)) return { kind: 'over' };
  if (state === 'running' || state === 'held') return { kind: 'carry-out', progress };
  const complete = message.batches === progress.nextBatch && message.offers === progress.offersSeen;
  return { kind: complete ? 'carry-out' : 'incomplete', progress };
};

/** A feed that suddenly lost most of its offers has more often been broken than emptied. */
export type FeedGuard = {
  /** The share of a feed's offers that a load may drop without being asked about. */
  readonly shareMax: number;
  /** Fewer than this may always go. */
  readonly offersMin: number;
};
export const isMassDeletion = (
  { known, unseen }: { readonly known: number; readonly unseen: number },
  { shareMax, offersMin }: FeedGuard,
): boolean => unseen >= offersMin && unseen > known * shareMax;
