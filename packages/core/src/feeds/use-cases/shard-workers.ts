import type { FeedKey } from '../../gost/index.ts';
import { ok, type Result, type ResultAsync } from 'neverthrow';
import {
  limitRepeats,
  sleep,
  type Clock,
  type Ids,
  type Logger,
  type ShardWork,
  type Unavailable,
} from '../../kernel/index.ts';
import { decideClaim, type Claim } from '../domain/decide-run.ts';
import type { FeedsSettings } from '../domain/settings.ts';
import type { FeedStores } from '../ports/feed-store.port.ts';
import { changeFeed } from './change-feed.ts';
import type { FetchLink } from './fetch-links.ts';
import { withoutOwner } from './manage-feeds.ts';
import type { RunTask } from './run-task.ts';
import type { WatchShard } from './watch-and-clean.ts';

type Needs = {
  readonly stores: FeedStores;
  readonly watch: WatchShard;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly settings: FeedsSettings;
};
const PAGE = 20;

/** Claims the next load of a feed. Loads that wait give way to a younger one first. */
export const claimNext = (
  { stores: { feeds }, clock, settings }: Pick<Needs, 'stores' | 'clock' | 'settings'>,
  key: FeedKey,
  holder: string,
): ResultAsync<Extract<Claim, { readonly kind: 'run' }> | undefined, Unavailable> =>
  changeFeed<Claim, never>(feeds, key, (stored) => {
    const claim = stored
      ? decideClaim(stored, holder, { nowMs: clock.nowMs(), settings })
      : { kind: 'wait' as const };
    return ok({ value: claim, change: claim.kind === 'wait' ? undefined : claim.change });
  })
    .mapErr(withoutOwner)
    .andThen((claim) => {
      if (claim.kind === 'changed')
        return claimNext({ stores: { feeds } as FeedStores, clock, settings }, key, holder);
      return ok(claim.kind === 'run' ? claim : undefined);
    });

/** One turn on a shard: every due feed once. Returns how many were worked on. */
export type ShardTurn = (shard: number, signal: AbortSignal) => Promise<Result<number, Unavailable>>;

export const makeProcessTurn =
  (needs: Needs & { readonly runTask: RunTask }, runs: { now: number } = { now: 0 }): ShardTurn =>
  async (shard, signal) => {
    const { stores, watch, clock, ids, settings, runTask, logger } = needs;
    const watched = await watch(shard);
    if (watched.isErr()) return watched;
    const due = await stores.queues.dueTasks(shard, clock.nowMs(), PAGE);
    if (due.isErr()) return due.map(() => 0);
    let ran = 0;
    for (const key of due.value) {
      if (signal.aborted || runs.now >= settings.runsMax) break;
      const claim = await claimNext({ stores, clock, settings }, key, ids.next());
      if (claim.isErr()) return claim.map(() => 0);
      if (!claim.value) continue;
      const { load, token } = claim.value;
      runs.now += 1;
      const end = await runTask({ key, load, token }, signal);
      runs.now -= 1;
      const fields = { seller: key.seller, namespace: key.namespace, task: load.task.id, generation: token };
      end.match(
        (kind) => logger.info('a run of a feed ended', { ...fields, end: kind }),
        (error) => logger.warn('a run of a feed was broken off', { ...fields, error }),
      );
      ran += 1;
    }
    return ok(ran);
  };

/** Downloads of one host that run now. */
const hostOf = (url: string): string => /^https?:\/\/([^/?#]+)/i.exec(url)?.[1]?.toLowerCase() ?? url;

export const makeLoadTurn = (needs: Needs & { readonly fetchLink: FetchLink }): ShardTurn => {
  const { stores, watch, clock, ids, settings, fetchLink, logger } = needs;
  const hosts = new Map<string, number>();
  let downloads = 0;
  const fetchOne = async (key: FeedKey, signal: AbortSignal): Promise<Result<number, Unavailable>> => {
    const stored = await stores.feeds.load(key);
    if (stored.isErr()) return stored.map(() => 0);
    const host = hostOf(stored.value?.link?.url ?? '');
    const busy = hosts.get(host) ?? 0;
    if (busy >= settings.downloadsPerHost || downloads >= settings.downloadsMax) return ok(0);
    hosts.set(host, busy + 1);
    downloads += 1;
    try {
      const fetched = await fetchLink(key, ids.next(), signal);
      const fields = { seller: key.seller, namespace: key.namespace };
      fetched.match(
        (outcome) => logger.info('a feed link was fetched', { ...fields, outcome }),
        (error) =>
          error.kind === 'Busy' ? undefined : logger.warn('a fetch was broken off', { ...fields, error }),
      );
      return ok(1);
    } finally {
      downloads -= 1;
      hosts.set(host, (hosts.get(host) ?? 1) - 1);
      if (hosts.get(host) === 0) hosts.delete(host);
    }
  };
  return async (shard, signal) => {
    const watched = await watch(shard);
    if (watched.isErr()) return watched;
    const due = await stores.queues.dueLinks(shard, clock.nowMs(), PAGE);
    if (due.isErr()) return due.map(() => 0);
    const turns = await Promise.all(due.value.map((key) => fetchOne(key, signal)));
    return ok(turns.reduce((sum, turn) => sum + turn.unwrapOr(0), 0));
  };
};

/** Repeats turns while the shard is held. */
export const shardWork =
  (
    turn: ShardTurn,
    { clock, settings, logger }: Pick<Needs, 'clock' | 'settings' | 'logger'>,
    what: string,
  ): ShardWork =>
  async ({ shard }, signal) => {
    const quiet = limitRepeats(logger, clock);
    while (!signal.aborted) {
      const done = await turn(shard, signal);
      if (done.isErr()) quiet.warn(`${what}: the store does not answer`, { shard, error: done.error });
      if (done.unwrapOr(0) === 0) await sleep(clock, settings.pollMs, signal);
    }
  };
