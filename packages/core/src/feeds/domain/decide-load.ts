import { err, ok, type Result } from 'neverthrow';
import type { BlobHash } from '../../kernel/index.ts';
import { decideFeedTask } from './decide-feed-task.ts';
import type { Feed } from './feed.ts';
import { newFeedTask, type FeedTask, type FeedTaskEvent, type FeedTaskId } from './feed-task.ts';
import {
  hasEnded,
  isProcessed,
  noLoadProgress,
  type FeedChange,
  type Load,
  type LoadFile,
  type LoadOrigin,
  type StoredFeed,
} from './load.ts';
import type { FeedsSettings } from './settings.ts';

/** A link is active: say `replace` to switch the feed to uploads. */
export type LinkActive = { readonly kind: 'LinkActive' };
export type FeedNotFound = { readonly kind: 'FeedNotFound' };

/** The load after an event of its task. The same load if the event changed nothing. */
export const loadAfter = (load: Load, event: FeedTaskEvent, settings: FeedsSettings): Load =>
  decideFeedTask(load.task, event, settings.task).match(
    (decision) =>
      decision.kind === 'moved' && decision.task !== load.task
        ? { ...load, task: decision.task, updatedAtMs: event.atMs }
        : load,
    () => load,
  );
/** Events that name no run speak of the newest one. */
export const now = (
  task: FeedTask,
  kind: 'newer task' | 'feed removed' | 'watchdog' | 'approve' | 'reject',
  atMs: number,
): FeedTaskEvent => ({ kind, generation: task.generation, atMs });

const moved = (before: readonly Load[], after: readonly Load[]): readonly Load[] =>
  after.filter((load, n) => load !== before[n]);

/** Ended loads that are not kept: beyond the newest `keepProcessed` processed ones and the newest `keepOthers` others. */
export const outdatedLoads = (
  history: readonly Load[],
  { keepProcessed, keepOthers }: Pick<FeedsSettings, 'keepProcessed' | 'keepOthers'>,
): readonly FeedTaskId[] => {
  const ended = history.filter(hasEnded).toSorted((a, b) => b.task.id - a.task.id);
  const gone = [
    ...ended.filter(isProcessed).slice(keepProcessed),
    ...ended.filter((load) => !isProcessed(load)).slice(keepOthers),
  ];
  return gone.map(({ task }) => task.id);
};

export type NewLoad = {
  readonly file: LoadFile;
  readonly origin: LoadOrigin;
  readonly requestId?: string | undefined;
  readonly repeats?: number;
  readonly notBeforeMs?: number;
};
/** A new load behind all others. Loads that wait give way to it. */
export const newLoad = (
  { feed, open }: Pick<StoredFeed, 'feed' | 'open'>,
  { file, origin, requestId, repeats = 0, notBeforeMs }: NewLoad,
  history: readonly Load[],
  { nowMs, settings }: { readonly nowMs: number; readonly settings: FeedsSettings },
): { readonly load: Load; readonly change: FeedChange } => {
  const id = (feed.lastTask + 1) as FeedTaskId;
  const load: Load = {
    task: newFeedTask(id, notBeforeMs ?? nowMs),
    file,
    origin,
    feedVersion: feed.version,
    format: feed.settings.format,
    absent: feed.settings.absent,
    defaults: feed.settings.defaults,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    requestId,
    repeats,
    progress: noLoadProgress,
    catalogVersion: undefined,
    fatal: undefined,
    unchanged: undefined,
  };
  const given = open.map((one) => loadAfter(one, now(one.task, 'newer task', nowMs), settings));
  const known = history.map((one) => given.find(({ task }) => task.id === one.task.id) ?? one);
  return {
    load,
    change: {
      feed: { ...feed, lastTask: id },
      loads: [...moved(open, given), load],
      old: outdatedLoads(known, settings),
    },
  };
};

/** The task that removes the offers of a removed feed, or turns them manual. */
export const removalLoad = (feed: Feed, absent: Load['absent'], nowMs: number): Load => ({
  task: newFeedTask((feed.lastTask + 1) as FeedTaskId, nowMs, 'removal'),
  file: undefined,
  origin: 'removal',
  feedVersion: feed.version,
  format: feed.settings.format,
  absent,
  defaults: feed.settings.defaults,
  createdAtMs: nowMs,
  updatedAtMs: nowMs,
  requestId: undefined,
  repeats: 0,
  progress: noLoadProgress,
  catalogVersion: undefined,
  fatal: undefined,
  unchanged: undefined,
});

export const decideRemoval = (
  { feed, open }: StoredFeed,
  absent: Load['absent'],
  { nowMs, settings }: { readonly nowMs: number; readonly settings: FeedsSettings },
): Result<FeedChange, FeedNotFound> => {
  if (feed.status === 'removed') return err({ kind: 'FeedNotFound' });
  const removed: Feed = { ...feed, status: 'removed', version: feed.version + 1, changedAtMs: nowMs };
  const load = removalLoad(removed, absent, nowMs);
  const left = open.map((one) => loadAfter(one, now(one.task, 'feed removed', nowMs), settings));
  return ok({
    feed: { ...removed, lastTask: load.task.id },
    link: 'gone',
    loads: [...moved(open, left), load],
  });
};

/**
 * Whether content has to be processed. Equal content is, if the newest load of it ended and may end differently now.
 */
export const isUnchanged = (
  { newest, feed }: Pick<StoredFeed, 'newest' | 'feed'>,
  hash: BlobHash,
  { nowMs, catalogVersion, settings }: { nowMs: number; catalogVersion: number; settings: FeedsSettings },
): boolean => {
  if (newest?.file?.hash !== hash) return false;
  if (!hasEnded(newest)) return true;
  const { task } = newest;
  const failedInPassing = task.place === 'failed' && task.failure.code !== 'permanent';
  const isCurrent = newest.catalogVersion === undefined || newest.catalogVersion === catalogVersion;
  return (
    !failedInPassing &&
    newest.progress.transientErrors === 0 &&
    isCurrent &&
    newest.feedVersion === feed.version &&
    nowMs - newest.createdAtMs < settings.reprocessAfterMs
  );
};
