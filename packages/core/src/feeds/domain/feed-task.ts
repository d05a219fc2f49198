import type { Backoff, Brand } from '../../kernel/index.ts';

/** Grows with every load of a seller's namespace. */
export type FeedTaskId = Brand<number, 'FeedTaskId'>;

export type FeedTaskFailure =
  | { readonly code: 'permanent'; readonly message: string }
  | { readonly code: 'gave-up'; readonly message: string }
  | { readonly code: 'feed-removed' }
  /** A younger load of the same feed took its place. */
  | { readonly code: 'superseded' };

/** `removal`: it has no file. It removes the offers of a feed that is removed, or turns them manual. */
export type FeedTaskPurpose = 'load' | 'removal';

/** What a task has wherever it is. */
export type FeedTaskCore = {
  readonly id: FeedTaskId;
  readonly purpose: FeedTaskPurpose;
  /** The generation of the newest run, 0 before the first one. It only grows. */
  readonly generation: number;
  /** Runs that ended with a transient error, or without any news. */
  readonly attempts: number;
  /** Runs that were written to the end and have to be repeated all the same. */
  readonly resends: number;
  readonly firstRunAtMs: number | undefined;
  /** The generation of the saved answers, 0 if there are none. The answers themselves are rows of the store. */
  readonly answeredGeneration: number;
  /** The generation that was answered `incomplete` or approved: a `held` of it that comes now is out of date. */
  readonly settledGeneration: number | undefined;
  /** The removal of missing offers is approved: every later run of this task removes them without being held. */
  readonly approved: boolean;
  /** Its feed went while the last word was GOST's: the task finishes, but never runs again. */
  readonly feedRemoved: boolean;
};
type At<Place extends string, Fields = unknown> = FeedTaskCore & { readonly place: Place } & Fields;

/**
 * Where a task is: the status of the source's table and its row in `task_queue` as one word, so that a queued failure
 * can't be written down. `in_progress` is the first three; only `queued` has a row in the queue.
 */
export type FeedTask =
  | At<
      'queued',
      {
        readonly nextAttemptAtMs: number;
        /** The run of `generation` has not ended, as far as is known: its processor may be dead. */
        readonly running: boolean;
      }
    >
  | At<'sent', { readonly sentAtMs: number }>
  | At<'held'>
  | At<'failed', { readonly failure: FeedTaskFailure }>
  | At<'succeed', { readonly removal: 'done' | 'refused' | 'superseded' }>;

export type FeedTaskPlace = FeedTask['place'];
export const FEED_TASK_PLACES = [
  'queued',
  'sent',
  'held',
  'failed',
  'succeed',
] as const satisfies FeedTaskPlace[];
export type TaskIn<Place extends FeedTaskPlace> = Extract<FeedTask, { readonly place: Place }>;

/** The task without what only its place knows: leaving a place leaves its fields behind. */
export const coreOf = (task: FeedTask): FeedTaskCore => ({
  id: task.id,
  purpose: task.purpose,
  generation: task.generation,
  attempts: task.attempts,
  resends: task.resends,
  firstRunAtMs: task.firstRunAtMs,
  answeredGeneration: task.answeredGeneration,
  settledGeneration: task.settledGeneration,
  approved: task.approved,
  feedRemoved: task.feedRemoved,
});

export const newFeedTask = (
  id: FeedTaskId,
  nowMs: number,
  purpose: FeedTaskPurpose = 'load',
): TaskIn<'queued'> => ({
  id,
  purpose,
  place: 'queued',
  generation: 0,
  attempts: 0,
  resends: 0,
  firstRunAtMs: undefined,
  answeredGeneration: 0,
  settledGeneration: undefined,
  approved: false,
  feedRemoved: false,
  nextAttemptAtMs: nowMs,
  running: false,
});

type EventOf<Kind extends string, Fields = unknown> = {
  readonly kind: Kind;
  /** Of the run that the event speaks of; of a claim: the one beside the lock, which outlives every run. */
  readonly generation: number;
  readonly atMs: number;
} & Fields;
export type FeedTaskEvent =
  | EventOf<'claim'>
  | EventOf<'permanent error', { readonly message: string }>
  | EventOf<'transient error', { readonly message: string }>
  | EventOf<'terminal written'>
  | EventOf<
      'batch answered',
      {
        readonly batch: number;
        /** The store has a row for this generation and batch. */
        readonly isSaved: boolean;
      }
    >
  | EventOf<'done'>
  | EventOf<'incomplete'>
  | EventOf<'held'>
  | EventOf<'approve'>
  | EventOf<'reject'>
  | EventOf<'watchdog'>
  /** GOST has seen a newer load or processor of this feed. */
  | EventOf<'skipped'>
  /** A younger task of the same feed waits. */
  | EventOf<'newer task'>
  | EventOf<'feed removed'>;
export type FeedTaskEventKind = FeedTaskEvent['kind'];
export type TaskEvent<Kind extends FeedTaskEventKind> = Extract<FeedTaskEvent, { readonly kind: Kind }>;

/** What a commit does beside the task's own row and its row in the queue, which follows from `place`. */
export type FeedTaskEffect =
  | { readonly kind: 'run'; readonly generation: number }
  | { readonly kind: 'free lock' }
  | { readonly kind: 'discard answers'; readonly belowGeneration: number }
  | { readonly kind: 'save answer'; readonly generation: number; readonly batch: number };

export type FeedTaskSettings = {
  /** K of the table: so many attempts may fail, and so many runs may be repeated; the next one is the last. */
  readonly attemptsMax: number;
  readonly resendsMax: number;
  /** A failed attempt so long after the first run began is the last. */
  readonly giveUpAfterMs: number;
  /** A task without a terminal answer for so long is written once more. */
  readonly answerWithinMs: number;
  readonly backoff: Pick<Backoff, 'firstMs' | 'factor' | 'maxMs'>;
};

const HOUR_MS = 3_600_000;
export const defaultFeedTaskSettings: FeedTaskSettings = {
  attemptsMax: 10,
  resendsMax: 3,
  giveUpAfterMs: 24 * HOUR_MS,
  answerWithinMs: 6 * HOUR_MS,
  backoff: { firstMs: 60_000, factor: 2, maxMs: HOUR_MS },
};
