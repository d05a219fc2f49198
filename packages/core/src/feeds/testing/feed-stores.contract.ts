import { err, ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FeedTaskId } from '../domain/feed-task.ts';
import { noStatistics, type FeedChange, type LoadKey } from '../domain/load.ts';
import { feedShard } from '../domain/settings.ts';
import type { FeedStores } from '../ports/feed-store.port.ts';
import {
  endedLoad,
  sampleError,
  sampleFeed,
  sampleFeedKey,
  sampleHash,
  sampleLink,
  sampleLoad,
} from './feed-samples.ts';

export type FeedStoresHarness = {
  readonly open: () => Promise<{ readonly stores: FeedStores; readonly close: () => Promise<void> }>;
};
const key = sampleFeedKey();
const other = sampleFeedKey('seller-1', 'second');
const shard = feedShard(key);
const loadKey = (task: number, of = key): LoadKey => ({ ...of, task: task as FeedTaskId });

/** Everything that the stores of feeds promise. Each `open` gives empty stores. */
export const feedStoresContract = (backend: string, harness: FeedStoresHarness): void => {
  describe(`feed stores contract: ${backend}`, () => {
    let stores: FeedStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, close } = await harness.open()));
    afterEach(() => close());
    const commit = async (revision: number, change: FeedChange, of = key) =>
      (await stores.feeds.commit(of, revision, change))._unsafeUnwrap();
    const found = async (of = key) => (await stores.feeds.load(of))._unsafeUnwrap();

    test('[P1] [P10] a feed is found as it was committed, with its link, locks and open loads', async () => {
      expect(await found()).toBeUndefined();
      const feed = sampleFeed({ lastTask: 2 });
      const lock = { token: 7, holder: 'me', renewedAtMs: 5 };
      const open = sampleLoad(2);
      const ended = endedLoad(1);
      await commit(0, { feed, link: sampleLink(), locks: { feedprocessor: lock }, loads: [open, ended] });
      expect(await found()).toEqual({
        revision: 1,
        feed,
        link: sampleLink(),
        locks: { feedprocessor: lock, feedloader: { token: 0, holder: undefined, renewedAtMs: 0 } },
        open: [open],
        newest: open,
      });
      await commit(1, { link: 'gone', locks: { feedprocessor: { ...lock, holder: undefined } } });
      expect(await found()).toMatchObject({
        revision: 2,
        link: undefined,
        locks: { feedprocessor: { token: 7 } },
      });
    });
    test('[P3] a commit at another revision is refused, and nothing of it is stored', async () => {
      await commit(0, { feed: sampleFeed() });
      const late = { feed: sampleFeed({ lastTask: 9 }), loads: [sampleLoad(9)], link: sampleLink() };
      for (const revision of [0, 2])
        expect(await stores.feeds.commit(key, revision, late)).toEqual(err({ kind: 'FeedChanged' }));
      expect(await stores.feeds.commit(other, 1, { locks: {} })).toEqual(err({ kind: 'FeedChanged' }));
      expect(await found()).toMatchObject({ revision: 1, open: [], link: undefined, feed: { lastTask: 0 } });
    });
    test('[P3] of two commits at the same revision one wins', async () => {
      await commit(0, { feed: sampleFeed() });
      const both = await Promise.all(
        [1, 2].map((task) => stores.feeds.commit(key, 1, { loads: [sampleLoad(task)] })),
      );
      expect(both.filter((one) => one.isOk())).toHaveLength(1);
      expect((await found())?.open).toHaveLength(1);
    });
    test('[P9] feeds of one seller in different namespaces are apart', async () => {
      await commit(0, { feed: sampleFeed(), loads: [sampleLoad(1)] });
      await commit(
        0,
        { feed: sampleFeed({ namespace: 'second' }), loads: [sampleLoad(1), sampleLoad(2)] },
        other,
      );
      expect((await found())?.open).toHaveLength(1);
      expect((await found(other))?.open).toHaveLength(2);
      const feeds = (await stores.feeds.feedsOf(key.seller))._unsafeUnwrap();
      expect(feeds.map(({ namespace }) => namespace)).toEqual(['main', 'second']);
    });
    test('[P1] the history is read from the newest load down, page by page', async () => {
      await commit(0, {
        feed: sampleFeed(),
        loads: [1, 2, 3].map((n) => endedLoad(n, { requestId: `r${n}` })),
      });
      const page = async (before?: number) =>
        (await stores.feeds.history(key, { limit: 2, ...(before ? { before } : {}) }))
          ._unsafeUnwrap()
          .map(({ task }) => task.id as number);
      expect(await page()).toEqual([3, 2]);
      expect(await page(2)).toEqual([1]);
      expect((await stores.feeds.findRequest(key, 'r2'))._unsafeUnwrap()?.task.id).toBe(2);
      expect((await stores.feeds.findRequest(key, 'none'))._unsafeUnwrap()).toBeUndefined();
      expect((await stores.feeds.findLoad(loadKey(3)))._unsafeUnwrap()).toEqual(
        endedLoad(3, { requestId: 'r3' }),
      );
      expect((await stores.feeds.findLoad(loadKey(4)))._unsafeUnwrap()).toBeUndefined();
    });
    test('[P6] results are saved with the commit: batches, statistics, errors by offer, level and code', async () => {
      const errors = [
        {
          ...sampleError('b', { level: 'warning', title: undefined, value: undefined, line: undefined }),
          n: 0,
        },
        { ...sampleError('a', { code: 'attribute', message: 'a\0b' }), n: 1 },
        { ...sampleError('a'), n: 2 },
      ];
      const statistics = {
        ...noStatistics,
        generation: 5,
        errors: 2,
        warnings: 1,
        stored: 3,
        codes: { category: 2 },
      };
      const task = 1 as FeedTaskId;
      const results = [{ task, generation: 5, batches: [0, 3], statistics, errors }];
      await commit(0, { feed: sampleFeed(), loads: [sampleLoad(1)], results });
      expect(await stores.feeds.savedBatches(loadKey(1), 5, [0, 1, 3])).toEqual(ok(new Set([0, 3])));
      expect(await stores.feeds.savedBatches(loadKey(1), 4, [0, 1, 3])).toEqual(ok(new Set()));
      expect(await stores.feeds.statistics(key, [task])).toEqual(ok(new Map([[task, statistics]])));
      const listed = async (question: object) =>
        (await stores.feeds.errors(loadKey(1), { generation: 5, limit: 10, ...question }))
          ._unsafeUnwrap()
          .map(({ externalId, n }) => `${externalId}${n}`);
      expect(await listed({})).toEqual(['a1', 'a2', 'b0']);
      expect(await listed({ level: 'warning' })).toEqual(['b0']);
      expect(await listed({ code: 'category' })).toEqual(['a2', 'b0']);
      expect(await listed({ after: { externalId: 'a', n: 1 }, limit: 1 })).toEqual(['a2']);
      expect(await listed({ generation: 4 })).toEqual([]);
      const [, exact] = (await stores.feeds.errors(loadKey(1), { generation: 5, limit: 10 }))._unsafeUnwrap();
      expect(exact).toEqual(errors[2]);
    });
    test('[P2] [P3] work is found by its shard, the longest waiting first', async () => {
      const queued = (atMs: number) => ({
        ...sampleLoad(1).task,
        place: 'queued',
        nextAttemptAtMs: atMs,
        running: false,
      });
      await commit(0, {
        feed: sampleFeed(),
        link: sampleLink(),
        loads: [sampleLoad(1, { task: queued(50) as never })],
      });
      expect(await stores.queues.dueTasks(shard, 49, 10)).toEqual(ok([]));
      expect(await stores.queues.dueTasks(shard, 50, 10)).toEqual(ok([key]));
      expect(await stores.queues.dueTasks((shard + 1) % 16, 50, 10)).toEqual(ok([]));
      expect(await stores.queues.dueLinks(shard, 999, 10)).toEqual(ok([]));
      expect(await stores.queues.dueLinks(shard, 1_000, 10)).toEqual(ok([key]));
      const {
        nextAttemptAtMs: _n,
        running: _r,
        ...core
      } = sampleLoad(1).task as never as Record<string, unknown>;
      const sent = sampleLoad(1, { task: { ...core, place: 'sent', sentAtMs: 70 } as never });
      const lock = { token: 1, holder: 'me', renewedAtMs: 80 };
      await commit(1, { loads: [sent], locks: { feedloader: lock } });
      expect(await stores.queues.dueTasks(shard, 1_000, 10)).toEqual(ok([]));
      expect(await stores.queues.unanswered(shard, 69, 10)).toEqual(ok([]));
      expect(await stores.queues.unanswered(shard, 70, 10)).toEqual(ok([key]));
      expect(await stores.queues.staleLocks('feedloader', shard, 79, 10)).toEqual(ok([]));
      expect(await stores.queues.staleLocks('feedloader', shard, 80, 10)).toEqual(ok([key]));
      expect(await stores.queues.staleLocks('feedprocessor', shard, 80, 10)).toEqual(ok([]));
    });
    test('[P2] links are due by their last success, never fetched ones first', async () => {
      const seller = (n: number) => sampleFeedKey(`s${n}`);
      const times = [300, undefined, 100];
      const same = Array.from({ length: 400 }, (_, n) => seller(n))
        .filter((one) => feedShard(one) === shard)
        .slice(0, 3);
      for (const [n, one] of same.entries())
        await commit(0, { feed: sampleFeed(one), link: sampleLink({ lastFetchedAtMs: times[n] }) }, one);
      expect(await stores.queues.dueLinks(shard, 2_000, 10)).toEqual(ok([same[1], same[2], same[0]]));
    });
    test('[P2] a load takes an announced file over once; a condemned announcement is refused', async () => {
      const { owners } = stores;
      const announce = (id: string) => owners.announce({ id, hash: sampleHash(), atMs: 10 });
      await announce('owner-1');
      expect(await owners.isHolding('owner-1')).toEqual(ok(true));
      await commit(0, { feed: sampleFeed(), loads: [sampleLoad(1)], owner: 'owner-1' });
      expect(await owners.isHolding('owner-1')).toEqual(ok(true));
      expect(await owners.loadsOf('owner-1')).toEqual(ok(1));
      expect(await stores.feeds.commit(key, 1, { owner: 'owner-1' })).toEqual(err({ kind: 'OwnerGone' }));
      await announce('owner-2');
      await owners.condemn('owner-2');
      expect(await owners.isHolding('owner-2')).toEqual(ok(false));
      const late = { loads: [sampleLoad(2)], owner: 'owner-2' };
      expect(await stores.feeds.commit(key, 1, late)).toEqual(err({ kind: 'OwnerGone' }));
      expect((await found())?.open).toHaveLength(1);
      expect((await owners.announcedBefore(10, 5))._unsafeUnwrap()).toEqual([]);
      expect((await owners.announcedBefore(11, 5))._unsafeUnwrap()).toEqual([
        { id: 'owner-2', hash: sampleHash(), atMs: 10 },
      ]);
      await owners.drop('owner-2');
      expect((await owners.announcedBefore(11, 5))._unsafeUnwrap()).toEqual([]);
    });
    test('[P7] an old load goes step by step, never one that has not ended', async () => {
      const errors = [0, 1, 2].map((n) => ({ ...sampleError('a'), n }));
      const task = 1 as FeedTaskId;
      const results = [
        { task, generation: 1, batches: [0], statistics: { ...noStatistics, generation: 1 }, errors },
      ];
      const loads = [endedLoad(1), sampleLoad(2)];
      await commit(0, { feed: sampleFeed(), loads, results, old: [task, 2 as FeedTaskId] });
      expect(await stores.cleanup.old(10)).toEqual(ok([loadKey(1)]));
      expect(await stores.cleanup.deleteDetails(loadKey(1), 2)).toEqual(ok(false));
      expect(await stores.cleanup.deleteDetails(loadKey(1), 2)).toEqual(ok(true));
      expect(await stores.feeds.savedBatches(loadKey(1), 1, [0])).toEqual(ok(new Set()));
      expect((await stores.feeds.statistics(key, [task]))._unsafeUnwrap().size).toBe(0);
      await stores.cleanup.deleteLoad(loadKey(1));
      expect(await stores.cleanup.old(10)).toEqual(ok([]));
      expect((await stores.feeds.findLoad(loadKey(1)))._unsafeUnwrap()).toBeUndefined();
      await commit(1, { loads: [endedLoad(3)] });
      await stores.cleanup.markAll(key);
      expect(await stores.cleanup.old(10)).toEqual(ok([loadKey(3)]));
    });
    test('[P6] errors of an older run are deleted, those of the newest stay', async () => {
      const task = 1 as FeedTaskId;
      const of = (generation: number) => ({
        task,
        generation,
        batches: [],
        statistics: { ...noStatistics, generation },
        errors: [{ ...sampleError('a'), n: 0 }],
      });
      await commit(0, { feed: sampleFeed(), loads: [sampleLoad(1)], results: [of(1)] });
      await commit(1, { results: [of(2)] });
      expect(await stores.cleanup.deleteOutdatedErrors(10)).toEqual(ok(1));
      expect(await stores.cleanup.deleteOutdatedErrors(10)).toEqual(ok(0));
      expect(
        (await stores.feeds.errors(loadKey(1), { generation: 2, limit: 9 }))._unsafeUnwrap(),
      ).toHaveLength(1);
    });
    test('[P13] photo errors of an offer are replaced as a whole, and other offers keep theirs', async () => {
      const offer = (n: number) => ({ offerId: `o${n}`, externalId: `e${n}` });
      const of = (...urls: string[]) => urls.map((url) => ({ url, reason: 'gone' }));
      await stores.photoErrors.replace(key, offer(1), of('u1', 'u2'));
      await stores.photoErrors.replace(key, offer(2), of('u1'));
      await stores.photoErrors.replace(other, offer(1), of('u9'));
      await stores.photoErrors.replace(key, offer(1), of('u2'));
      const listed = async (page: object = {}) =>
        (await stores.photoErrors.list(key, { limit: 10, ...page }))
          ._unsafeUnwrap()
          .map(({ offerId, url }) => `${offerId} ${url}`);
      expect(await listed()).toEqual(['o1 u2', 'o2 u1']);
      expect(await listed({ after: { offerId: 'o1', url: 'u2' } })).toEqual(['o2 u1']);
      await stores.photoErrors.replace(key, offer(1), []);
      expect(await listed()).toEqual(['o2 u1']);
      await stores.photoErrors.deleteAll(key);
      expect(await listed()).toEqual([]);
      expect((await stores.photoErrors.list(other, { limit: 10 }))._unsafeUnwrap()).toHaveLength(1);
    });
  });
};
