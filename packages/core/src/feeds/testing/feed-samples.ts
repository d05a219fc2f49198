import type { FeedKey, SellerId } from '../../gost/index.ts';
import type { BlobHash } from '../../kernel/index.ts';
import { noDefaults, type Feed } from '../domain/feed.ts';
import { newFeedTask, type FeedTaskId } from '../domain/feed-task.ts';
import {
  noLoadProgress,
  type FeedLink,
  type Load,
  type OfferError,
  type StoredFeed,
} from '../domain/load.ts';
import { freeLock } from '../domain/load.ts';

export const sampleFeedKey = (seller = 'seller-1', namespace = 'main'): FeedKey => ({
  seller: seller as SellerId,
  namespace,
});
export const sampleHash = (letter = 'a'): BlobHash => letter.repeat(64) as BlobHash;
export const sampleFeed = (change: Partial<Feed> = {}): Feed => ({
  ...sampleFeedKey(),
  version: 1,
  status: 'active',
  lastTask: 0,
  settings: { url: undefined, intervalMs: 0, format: 'auto', absent: 'remove', defaults: noDefaults },
  changedAtMs: 1_000,
  ...change,
});
export const sampleLink = (change: Partial<FeedLink> = {}): FeedLink => ({
  feedVersion: 1,
  url: 'https://feeds.test/feed.xml',
  intervalMs: 3_600_000,
  lastFetchedAtMs: undefined,
  nextAttemptAtMs: 1_000,
  failures: 0,
  lastError: undefined,
  validators: undefined,
  ...change,
});
export const sampleLoad = (task: number, change: Partial<Load> = {}): Load => ({
  task: newFeedTask(task as FeedTaskId, 1_000),
  file: { hash: sampleHash(), bytes: 10, owner: `owner-${task}` },
  origin: 'upload',
  feedVersion: 1,
  format: 'auto',
  absent: 'remove',
  defaults: noDefaults,
  createdAtMs: 1_000,
  updatedAtMs: 1_000,
  requestId: undefined,
  repeats: 0,
  progress: noLoadProgress,
  catalogVersion: undefined,
  fatal: undefined,
  unchanged: undefined,
  ...change,
});
export const endedLoad = (task: number, change: Partial<Load> = {}): Load => {
  const load = sampleLoad(task, change);
  const { nextAttemptAtMs: _next, running: _running, ...core } = newFeedTask(task as FeedTaskId, 1_000);
  return { ...load, task: change.task ?? { ...core, place: 'succeed', removal: 'done' } };
};
export const sampleStored = (change: Partial<StoredFeed> = {}): StoredFeed => ({
  revision: 1,
  feed: sampleFeed(),
  link: undefined,
  locks: { feedloader: freeLock, feedprocessor: freeLock },
  open: [],
  newest: change.open?.at(-1),
  ...change,
});
export const sampleError = (externalId: string, change: Partial<OfferError> = {}): OfferError => ({
  level: 'error',
  code: 'category',
  path: 'offer/category',
  message: 'no category',
  value: 'x',
  line: 1,
  ordinal: 0,
  externalId,
  title: 'Bicycle',
  ...change,
});
