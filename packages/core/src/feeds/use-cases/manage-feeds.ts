import { err, ok, type ResultAsync } from 'neverthrow';
import type { FeedKey, SellerId } from '../../gost/index.ts';
import {
  invalidInput,
  invalidInputOf,
  unavailable,
  type Clock,
  type InvalidInput,
  type Unavailable,
} from '../../kernel/index.ts';
import { decideHeld, type NotHeld } from '../domain/decide-run.ts';
import { decideRemoval, type FeedNotFound } from '../domain/decide-load.ts';
import {
  feedNamespaceViolations,
  feedSettingsViolations,
  isParsedNamespace,
  type AbsentOffers,
  type Feed,
  type FeedSettings,
} from '../domain/feed.ts';
import type { FeedTaskId } from '../domain/feed-task.ts';
import { newLink, type FeedLink, type StoredFeed } from '../domain/load.ts';
import type { FeedsSettings } from '../domain/settings.ts';
import type { FeedStore } from '../ports/feed-store.port.ts';
import { changeFeed } from './change-feed.ts';

export type ManageFeedsNeeds = {
  readonly feeds: FeedStore;
  readonly clock: Clock;
  readonly settings: FeedsSettings;
};
export type StaleFeedVersion = {
  readonly kind: 'StaleFeedVersion';
  readonly expected: number;
  readonly actual: number;
};
/** The feed, its link and its last load. */
export type FeedView = Pick<StoredFeed, 'feed' | 'link' | 'newest'>;
export type NoLink = { readonly kind: 'NoLink' };

export interface ManageFeeds {
  /** Creates the feed or changes its settings. A removed feed becomes active again. */
  readonly setFeed: (
    key: FeedKey,
    settings: FeedSettings,
    expectedVersion?: number,
  ) => ResultAsync<Feed, InvalidInput | StaleFeedVersion | Unavailable>;
  readonly getFeed: (key: FeedKey) => ResultAsync<FeedView, FeedNotFound | Unavailable>;
  readonly listFeeds: (seller: SellerId) => ResultAsync<readonly Feed[], Unavailable>;
  /** Removes the feed. Its offers are removed, or become the seller's own. */
  readonly removeFeed: (key: FeedKey, absent: AbsentOffers) => ResultAsync<void, FeedNotFound | Unavailable>;
  /** The link is fetched as soon as a loader is free. */
  readonly fetchNow: (key: FeedKey) => ResultAsync<void, FeedNotFound | NoLink | Unavailable>;
  readonly settleHeld: (
    key: FeedKey,
    task: FeedTaskId,
    verdict: 'approve' | 'reject',
  ) => ResultAsync<void, FeedNotFound | NotHeld | Unavailable>;
}

/** Only a load takes over a file; no other commit names an owner. */
export const withoutOwner = <E extends { readonly kind: string }>(
  error: E,
): Exclude<E, { readonly kind: 'OwnerGone' }> | Unavailable =>
  error.kind === 'OwnerGone'
    ? unavailable('feed: the file was not kept')
    : (error as Exclude<E, { readonly kind: 'OwnerGone' }>);

const linkOf = (
  before: FeedLink | undefined,
  version: number,
  { url, intervalMs }: FeedSettings,
  nowMs: number,
): FeedLink | undefined => {
  if (url === undefined) return undefined;
  if (before?.url !== url) return newLink({ url, intervalMs }, version, nowMs);
  const dueAtMs = (before.lastFetchedAtMs ?? nowMs) + intervalMs;
  return {
    ...before,
    feedVersion: version,
    intervalMs,
    nextAttemptAtMs: Math.min(before.nextAttemptAtMs, dueAtMs),
  };
};

export const makeManageFeeds = ({ feeds, clock, settings }: ManageFeedsNeeds): ManageFeeds => {
  const notFound = (): { readonly kind: 'FeedNotFound' } => ({ kind: 'FeedNotFound' });
  return {
    setFeed: (key, wanted, expectedVersion) =>
      changeFeed<Feed, InvalidInput | StaleFeedVersion>(feeds, key, (stored) => {
        const violations = [
          ...feedNamespaceViolations(key.namespace),
          ...feedSettingsViolations(wanted, settings.limits),
        ];
        if (violations.length > 0) return err(invalidInputOf(violations));
        if (isParsedNamespace(key.namespace))
          return err(
            invalidInput({ path: 'namespace', code: 'Reserved', message: 'reserved for parsed feeds' }),
          );
        const nowMs = clock.nowMs();
        const actual = stored?.feed.version ?? 0;
        if (expectedVersion !== undefined && expectedVersion !== actual)
          return err({ kind: 'StaleFeedVersion', expected: expectedVersion, actual });
        const feed: Feed = {
          seller: key.seller,
          namespace: key.namespace,
          version: actual + 1,
          status: 'active',
          lastTask: stored?.feed.lastTask ?? 0,
          settings: wanted,
          changedAtMs: nowMs,
        };
        const link = linkOf(stored?.link, feed.version, wanted, nowMs);
        return ok({ value: feed, change: { feed, link: link ?? 'gone' } });
      }).mapErr(withoutOwner),
    getFeed: (key) =>
      feeds.load(key).andThen((stored) => (stored?.feed.status === 'active' ? ok(stored) : err(notFound()))),
    listFeeds: (seller) =>
      feeds.feedsOf(seller).map((found) => found.filter(({ status }) => status === 'active')),
    removeFeed: (key, absent) =>
      changeFeed<void, FeedNotFound>(feeds, key, (stored) =>
        stored
          ? decideRemoval(stored, absent, { nowMs: clock.nowMs(), settings }).map((change) => ({
              value: undefined,
              change,
            }))
          : err(notFound()),
      ).mapErr(withoutOwner),
    fetchNow: (key) =>
      changeFeed<void, FeedNotFound | NoLink>(feeds, key, (stored) => {
        if (stored?.feed.status !== 'active') return err(notFound());
        if (!stored.link) return err({ kind: 'NoLink' });
        const link = { ...stored.link, nextAttemptAtMs: clock.nowMs() };
        return ok({ value: undefined, change: { link } });
      }).mapErr(withoutOwner),
    settleHeld: (key, task, verdict) =>
      changeFeed<void, FeedNotFound | NotHeld>(feeds, key, (stored) =>
        stored
          ? decideHeld(stored, task, verdict, { nowMs: clock.nowMs(), settings }).map((change) => ({
              value: undefined,
              change,
            }))
          : err(notFound()),
      ).mapErr(withoutOwner),
  };
};
