import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { FeedKey, SellerId } from '../../gost/index.ts';
import type { Clock, Unavailable } from '../../kernel/index.ts';
import { decideWatchdog } from '../domain/decide-run.ts';
import { decideRemoval } from '../domain/decide-load.ts';
import { LOCK_CONTEXTS, type LoadKey } from '../domain/load.ts';
import type { FeedsSettings } from '../domain/settings.ts';
import type { FeedStores } from '../ports/feed-store.port.ts';
import { changeFeed } from './change-feed.ts';
import type { KeepFile } from './keep-file.ts';
import { withoutOwner } from './manage-feeds.ts';

type Needs = {
  readonly stores: FeedStores;
  readonly keepFile: KeepFile;
  readonly clock: Clock;
  readonly settings: FeedsSettings;
};
const PAGE = 100;
const DELETED_AT_ONCE = 1_000;

/** Frees locks of one shard that were not renewed, and repeats loads that were not answered. Returns how many feeds changed. */
export type WatchShard = (shard: number) => ResultAsync<number, Unavailable>;
export const makeWatchShard =
  ({ stores: { feeds, queues }, clock, settings }: Needs): WatchShard =>
  (shard) => {
    const run = async (): Promise<Result<number, Unavailable>> => {
      const nowMs = clock.nowMs();
      const late: FeedKey[] = [];
      for (const context of LOCK_CONTEXTS) {
        const found = await queues.staleLocks(context, shard, nowMs - settings.lockMs, PAGE);
        if (found.isErr()) return err(found.error);
        late.push(...found.value);
      }
      const silent = await queues.unanswered(shard, nowMs - settings.task.answerWithinMs, PAGE);
      if (silent.isErr()) return err(silent.error);
      let changed = 0;
      for (const key of [...late, ...silent.value]) {
        const done = await changeFeed<number, never>(feeds, key, (stored) => {
          const change = stored && decideWatchdog(stored, { nowMs: clock.nowMs(), settings });
          return ok({ value: change ? 1 : 0, change });
        });
        if (done.isErr()) return err(withoutOwner(done.error));
        changed += done.value;
      }
      return ok(changed);
    };
    return new ResultAsync(run());
  };

/** Deletes old loads with their files, files that were announced and not used, and errors of old runs. */
export type CleanUp = (signal: AbortSignal) => ResultAsync<number, Unavailable>;
export const makeCleanUp = ({ stores, keepFile, clock, settings }: Needs): CleanUp => {
  const { feeds, owners, cleanup } = stores;
  /** The details first, then the file, then the load: a run that dies in between is repeated by the next one. */
  const deleteLoad = async (key: LoadKey): Promise<Result<boolean, Unavailable>> => {
    const details = await cleanup.deleteDetails(key, DELETED_AT_ONCE);
    if (details.isErr() || !details.value) return details;
    const load = await feeds.findLoad(key);
    if (load.isErr()) return err(load.error);
    const file = load.value?.file;
    if (file) {
      const users = await owners.loadsOf(file.owner);
      if (users.isErr()) return err(users.error);
      const released = users.value > 1 ? ok('gone' as const) : await keepFile.release(file.hash, file.owner);
      if (released.isErr()) return err(released.error);
      if (released.value === 'later') return ok(false);
    }
    return cleanup.deleteLoad(key).map(() => true);
  };
  const sweepOwners = async (): Promise<Result<number, Unavailable>> => {
    const found = await owners.announcedBefore(clock.nowMs() - settings.ownerMs, PAGE);
    if (found.isErr()) return err(found.error);
    let swept = 0;
    for (const { id, hash } of found.value) {
      // A load may have taken the file over since the list was read. From here on none can.
      const isTaken = await owners.condemn(id).andThen(() => owners.isHolding(id));
      if (isTaken.isErr()) return err(isTaken.error);
      if (isTaken.value) continue;
      const released = await keepFile.release(hash, id);
      if (released.isErr()) return err(released.error);
      if (released.value === 'later') continue;
      const dropped = await owners.drop(id);
      if (dropped.isErr()) return err(dropped.error);
      swept += 1;
    }
    return ok(swept);
  };
  const run = async (signal: AbortSignal): Promise<Result<number, Unavailable>> => {
    const old = await cleanup.old(PAGE);
    if (old.isErr()) return err(old.error);
    let deleted = 0;
    for (const key of old.value) {
      if (signal.aborted) return ok(deleted);
      const done = await deleteLoad(key);
      if (done.isErr()) return err(done.error);
      if (done.value) deleted += 1;
    }
    const swept = await sweepOwners();
    if (swept.isErr()) return err(swept.error);
    const outdated = await cleanup.deleteOutdatedErrors(DELETED_AT_ONCE);
    return outdated.map(() => deleted + swept.value);
  };
  return (signal) => new ResultAsync(run(signal));
};

/** Erases what feeds know of a seller: settings, loads, errors and files go. The numbers of loads stay, so that they go on. */
export type EraseFeeds = (seller: SellerId) => ResultAsync<number, Unavailable>;
export const makeEraseFeeds = ({ stores, clock, settings }: Needs): EraseFeeds => {
  const { feeds, cleanup, photoErrors } = stores;
  const run = async (seller: SellerId): Promise<Result<number, Unavailable>> => {
    const found = await feeds.feedsOf(seller);
    if (found.isErr()) return err(found.error);
    for (const { namespace } of found.value) {
      const key = { seller, namespace };
      const erased = await changeFeed<void, never>(feeds, key, (stored) => {
        if (!stored) return ok({ value: undefined });
        const removed = decideRemoval(stored, 'remove', { nowMs: clock.nowMs(), settings });
        const change = removed.unwrapOr({ feed: stored.feed });
        const { contacts: _contacts, ...rest } = stored.feed.settings.defaults;
        const defaults = {
          ...rest,
          address: undefined,
          contacts: { name: undefined, phone: undefined, email: undefined },
        };
        const feed = change.feed ?? stored.feed;
        return ok({
          value: undefined,
          change: { ...change, feed: { ...feed, settings: { ...feed.settings, url: undefined, defaults } } },
        });
      })
        .mapErr(withoutOwner)
        .andThen(() => cleanup.markAll(key))
        .andThen(() => photoErrors.deleteAll(key));
      if (erased.isErr()) return err(erased.error);
    }
    return ok(found.value.length);
  };
  return (seller) => new ResultAsync(run(seller));
};
