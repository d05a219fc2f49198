import { err, ok, type Result } from 'neverthrow';
import { decideFeedTask } from './decide-feed-task.ts';
import type { FeedTaskEvent, FeedTaskId } from './feed-task.ts';
import { loadAfter, now } from './decide-load.ts';
import {
  isProcessed,
  type FatalError,
  type FeedChange,
  type FeedLock,
  type Load,
  type LoadProgress,
  type LockContext,
  type SavedResults,
  type StoredFeed,
} from './load.ts';
import type { FeedsSettings } from './settings.ts';

type Times = { readonly nowMs: number; readonly settings: FeedsSettings };

/** `Busy`: another process works on the feed. */
export type Busy = { readonly kind: 'Busy' };
/** The lock was freed or taken meanwhile: whatever this process does is refused. */
export type LockLost = { readonly kind: 'LockLost' };

const isStale = ({ renewedAtMs }: FeedLock, { nowMs, settings }: Times): boolean =>
  nowMs - renewedAtMs >= settings.lockMs;

/** Takes the lock. Its token is higher than every earlier one. A lock that was not renewed is the watchdog's to free. */
export const takeLock = (lock: FeedLock, holder: string, nowMs: number): Result<FeedLock, Busy> =>
  lock.holder === undefined
    ? ok({ token: lock.token + 1, holder, renewedAtMs: nowMs })
    : err({ kind: 'Busy' });
export const freed = (lock: FeedLock): FeedLock => ({ ...lock, holder: undefined });

export const holdsLock = (
  { locks }: Pick<StoredFeed, 'locks'>,
  context: LockContext,
  token: number,
): Result<FeedLock, LockLost> => {
  const lock = locks[context];
  return lock.token === token && lock.holder !== undefined ? ok(lock) : err({ kind: 'LockLost' });
};

/** `wait`: nothing can run now. `changed`: loads gave way; ask again. */
export type Claim =
  | { readonly kind: 'wait' }
  | { readonly kind: 'changed'; readonly change: FeedChange }
  | { readonly kind: 'run'; readonly load: Load; readonly token: number; readonly change: FeedChange };

/** The lowest load that has not ended runs next. One that waits or is held gives way to a younger one. */
export const decideClaim = (stored: StoredFeed, holder: string, { nowMs, settings }: Times): Claim => {
  const lock = stored.locks.feedprocessor;
  const taken = takeLock(lock, holder, nowMs);
  const [lowest, younger] = stored.open;
  if (taken.isErr() || !lowest) return { kind: 'wait' };
  if (younger) {
    const given = loadAfter(lowest, now(lowest.task, 'newer task', nowMs), settings);
    if (given !== lowest) return { kind: 'changed', change: { loads: [given] } };
  }
  const { task } = lowest;
  if (task.place !== 'queued' || task.nextAttemptAtMs > nowMs) return { kind: 'wait' };
  const claimed = loadAfter(lowest, { kind: 'claim', generation: lock.token, atMs: nowMs }, settings);
  return {
    kind: 'run',
    load: claimed,
    token: taken.value.token,
    change: { loads: [claimed], locks: { feedprocessor: taken.value } },
  };
};

const loadIn = (stored: StoredFeed, task: FeedTaskId): Load | undefined =>
  stored.open.find((load) => load.task.id === task);

export type RunNews = {
  readonly progress: LoadProgress;
  readonly catalogVersion: number | undefined;
  readonly fatal?: FatalError;
  readonly results?: readonly SavedResults[];
};
/** The run tells how far it is, and renews its lock. */
export const decideRenewal = (
  stored: StoredFeed,
  run: { readonly task: FeedTaskId; readonly token: number },
  { progress, catalogVersion, results = [] }: RunNews,
  nowMs: number,
): Result<FeedChange, LockLost> =>
  holdsLock(stored, 'feedprocessor', run.token).andThen((lock) => {
    const load = loadIn(stored, run.task);
    if (load?.task.generation !== run.token) return err({ kind: 'LockLost' as const });
    return ok({
      locks: { feedprocessor: { ...lock, renewedAtMs: nowMs } },
      loads: [{ ...load, progress, catalogVersion, updatedAtMs: nowMs }],
      results,
    });
  });

/**
 * Offers without an id are not sent, so the offer store would take them for removed. Such a load is held, unless the
 * last load whose removal was carried out had as many of them.
 */
export const isHeldForUnreadable = (
  { task }: Load,
  { unreadable }: Pick<LoadProgress, 'unreadable'>,
  history: readonly Load[],
): boolean => {
  if (unreadable === 0 || task.approved) return false;
  const last = history
    .filter((load) => load.task.id < task.id && isProcessed(load))
    .filter((load) => load.task.place === 'succeed' && load.task.removal === 'done')
    .toSorted((a, b) => b.task.id - a.task.id)[0];
  return unreadable > (last?.progress.unreadable ?? 0);
};

/** How a run ended. `stopped`: the process stops in order; it counts as no attempt. */
export type RunEnd =
  | { readonly kind: 'terminal written' | 'held' | 'stopped' }
  | { readonly kind: 'permanent error'; readonly fatal: FatalError }
  | { readonly kind: 'transient error'; readonly message: string };
const eventOf = (end: RunEnd, generation: number, atMs: number): FeedTaskEvent | undefined => {
  switch (end.kind) {
    case 'stopped':
      return undefined;
    case 'permanent error':
      return { kind: end.kind, generation, atMs, message: end.fatal.message };
    case 'transient error':
      return { kind: end.kind, generation, atMs, message: end.message };
    case 'terminal written':
    case 'held':
      return { kind: end.kind, generation, atMs };
  }
};
/** The run is over: its lock is freed in the same commit. */
export const decideRunEnd = (
  stored: StoredFeed,
  run: { readonly task: FeedTaskId; readonly token: number },
  { progress, catalogVersion, results = [] }: RunNews,
  end: RunEnd,
  { nowMs, settings }: Times,
): Result<FeedChange, LockLost> =>
  holdsLock(stored, 'feedprocessor', run.token).map((lock) => {
    const load = loadIn(stored, run.task);
    const locks = { feedprocessor: freed(lock) };
    if (load?.task.generation !== run.token) return { locks };
    const event = eventOf(end, run.token, nowMs);
    const fatal = end.kind === 'permanent error' ? end.fatal : undefined;
    const after = event ? loadAfter(load, event, settings) : load;
    return { locks, results, loads: [{ ...after, progress, catalogVersion, fatal, updatedAtMs: nowMs }] };
  });

/** Frees locks that were not renewed, and repeats what was not answered. Undefined: there is nothing to do. */
export const decideWatchdog = (stored: StoredFeed, times: Times): FeedChange | undefined => {
  const { nowMs, settings } = times;
  const { feedloader, feedprocessor } = stored.locks;
  const isLate = (lock: FeedLock): boolean => lock.holder !== undefined && isStale(lock, times);
  const processorIsLate = isLate(feedprocessor);
  const locks = {
    ...(isLate(feedloader) ? { feedloader: freed(feedloader) } : {}),
    ...(processorIsLate ? { feedprocessor: freed(feedprocessor) } : {}),
  };
  const loads = stored.open.flatMap((load): Load[] => {
    const { task } = load;
    const runs = task.place === 'queued' && task.running && processorIsLate;
    if (!runs && task.place !== 'sent') return [];
    const after = loadAfter(load, now(task, 'watchdog', nowMs), settings);
    return after === load ? [] : [after];
  });
  return Object.keys(locks).length + loads.length === 0 ? undefined : { locks, loads };
};

/** A decision of the seller about a held removal. */
export type NotHeld = { readonly kind: 'NotHeld'; readonly place: Load['task']['place'] | 'unknown' };
export const decideHeld = (
  stored: StoredFeed,
  task: FeedTaskId,
  verdict: 'approve' | 'reject',
  { nowMs, settings }: Times,
): Result<FeedChange, NotHeld> => {
  const load = loadIn(stored, task);
  if (load?.task.place !== 'held') return err({ kind: 'NotHeld', place: load?.task.place ?? 'unknown' });
  const event = now(load.task, verdict, nowMs);
  const known = decideFeedTask(load.task, event, settings.task).isOk();
  return known ? ok({ loads: [loadAfter(load, event, settings)] }) : err({ kind: 'NotHeld', place: 'held' });
};
