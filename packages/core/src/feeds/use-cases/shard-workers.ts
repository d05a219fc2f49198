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

/** Turns that leave downloads running behind them. */
export type LoadTurn = ShardTurn & {
  /** Waits for the downloads of a shard that are still running. */
  readonly rest: (shard: number) => Promise<void>;
};
const hostOf = (url: string): string => /^https?:\/\/([^/?#]+)/i.exec(url)?.[1]?.toLowerCase() ?? url;
/** More than one host may fill with links that wait for it. */
const LINKS_PAGE = 100;
const WAITING_MAX = 10_000;

/** A download that takes long holds up no other link: the next turn begins while it runs. */
export const makeLoadTurn = (needs: Needs & { readonly fetchLink: FetchLink }): LoadTurn => {
  const { stores, watch, clock, ids, settings, fetchLink, logger } = needs;
  /** Downloads of each host that run now. */
  const hosts = new Map<string, number>();
  let downloads = 0;
  /** The host that a link waited for, so that it is not loaded in each turn. */
  const waiting = new Map<string, string>();
  const running = new Map<number, Map<string, Promise<number>>>();
  const isBusy = (host: string): boolean => (hosts.get(host) ?? 0) >= settings.downloadsPerHost;

  const fetchOne = async (key: FeedKey, name: string, signal: AbortSignal): Promise<number> => {
    const stored = await stores.feeds.load(key);
    const url = stored.isOk() ? stored.value?.link?.url : undefined;
    if (url === undefined || downloads >= settings.downloadsMax) return 0;
    const host = hostOf(url);
    if (isBusy(host)) {
      if (waiting.size < WAITING_MAX) waiting.set(name, host);
      return 0;
    }
    waiting.delete(name);
    hosts.set(host, (hosts.get(host) ?? 0) + 1);
    downloads += 1;
    const fields = { seller: key.seller, namespace: key.namespace };
    try {
      const fetched = await fetchLink(key, ids.next(), signal);
      fetched.match(
        (outcome) => logger.info('a feed link was fetched', { ...fields, outcome }),
        (error) =>
          error.kind === 'Busy' ? undefined : logger.warn('a fetch was broken off', { ...fields, error }),
      );
      return 1;
    } catch (error) {
      logger.warn('a fetch was broken off', { ...fields, error });
      return 0;
    } finally {
      downloads -= 1;
      hosts.set(host, (hosts.get(host) ?? 1) - 1);
      if (hosts.get(host) === 0) hosts.delete(host);
    }
  };
  const turn: ShardTurn = async (shard, signal) => {
    const watched = await watch(shard);
    if (watched.isErr()) return watched;
    const due = await stores.queues.dueLinks(shard, clock.nowMs(), LINKS_PAGE);
    if (due.isErr()) return due.map(() => 0);
    const own = running.get(shard) ?? new Map<string, Promise<number>>();
    running.set(shard, own);
    for (const key of due.value) {
      const name = `${key.seller}/${key.namespace}`;
      if (signal.aborted || downloads >= settings.downloadsMax) break;
      if (own.has(name) || isBusy(waiting.get(name) ?? '')) continue;
      own.set(
        name,
        fetchOne(key, name, signal).finally(() => own.delete(name)),
      );
    }
    if (own.size === 0) return ok(0);
    let done = 0;
    const all = Promise.all([...own.values()].map(async (one) => void (done += await one)));
    const isOver = new AbortController();
    await Promise.race([all, sleep(clock, settings.pollMs, AbortSignal.any([signal, isOver.signal]))]);
    isOver.abort();
    return ok(done);
  };
  return Object.assign(turn, {
    rest: async (shard: number) => void (await Promise.all([...(running.get(shard)?.values() ?? [])])),
  });
};

/** Repeats turns while the shard is held. */
export const shardWork =
  (
    turn: ShardTurn & Partial<Pick<LoadTurn, 'rest'>>,
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
    await turn.rest?.(shard);
  };
