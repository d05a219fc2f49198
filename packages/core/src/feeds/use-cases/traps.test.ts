import { catalogOf } from '../../catalog/index.ts';
import { sampleCatalog } from '../../gost/testing.ts';
import { err, ok, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import {
  sleep,
  unavailable,
  type BlobHash,
  type Clock,
  type Downloaded,
  type Downloader,
} from '../../kernel/index.ts';
import { noDefaults } from '../domain/feed.ts';
import type { FeedTaskId } from '../domain/feed-task.ts';
import { NEVER_MS } from '../domain/load.ts';
import { feedShard } from '../domain/settings.ts';
import type { FeedStores } from '../ports/feed-store.port.ts';
import { FEED_FILES } from './keep-file.ts';
import { claimNext } from './shard-workers.ts';
import { feedWorld } from '../testing/feed-world.ts';
import { endedLoad, sampleFeedKey } from '../testing/feed-samples.ts';

const key = sampleFeedKey();
const HOUR_MS = 3_600_000;
const URL_OF_FEED = 'https://feeds.test/feed.txt';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const linked = async (world: ReturnType<typeof feedWorld>, url = URL_OF_FEED, of = key) =>
  (
    await world.feeds.manage.setFeed(of, {
      url,
      intervalMs: HOUR_MS,
      format: 'auto',
      absent: 'remove',
      defaults: noDefaults,
    })
  )._unsafeUnwrap();
const lines = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, n) => `e${from + n}`).join('\n');

describe('a load', () => {
  test('[P6] goes from the file to saved answers; statistics and offers agree', async () => {
    const world = feedWorld();
    await world.upload(key, 'a\nb\nb\n');
    await world.settle(key);
    expect(await world.place(key, 1)).toBe('succeed');
    const view = (await world.feeds.read.getLoad({ ...key, task: 1 as FeedTaskId }))._unsafeUnwrap();
    expect(view.statistics).toMatchObject({
      verdicts: { inserted: 2, rejected: 1 },
      codes: { duplicate: 1 },
    });
    expect(await world.offers(key)).toEqual({ a: 'active', b: 'active' });
  });
  test('[P3] two processes that both believe they hold the lock: the older one commits nothing', async () => {
    const world = feedWorld();
    await world.upload(key, 'a\nb');
    const first = (await claimNext(world, key, 'one'))._unsafeUnwrap()!;
    await world.time.advance(world.settings.lockMs);
    await world.process(key);
    await world.time.advance(HOUR_MS);
    const second = (await claimNext(world, key, 'two'))._unsafeUnwrap()!;
    expect(second.token).toBeGreaterThan(first.token);
    const late = await world.feeds.runTask({ key, load: first.load, token: first.token }, world.signal);
    expect(late._unsafeUnwrapErr().kind).toBe('LockLost');
    const zombie = world.topic.splice(0);
    await world.feeds.runTask({ key, load: second.load, token: second.token }, world.signal);
    await world.save(key, await world.deliver());
    // The zombie's batches come after the heir's terminal message: GOST refuses them.
    const skipped = await world.deliver(zombie);
    expect(skipped.every((answer) => answer.outcome === 'skipped')).toBe(true);
    await world.save(key, skipped);
    expect(await world.place(key, 1)).toBe('succeed');
  });
  test('[P3] the watchdog frees the lock of a process that is silent, and the next one finishes', async () => {
    const world = feedWorld();
    await world.upload(key, 'a');
    await claimNext(world, key, 'dead');
    expect(await world.process(key)).toBe(0);
    await world.time.advance(world.settings.lockMs + HOUR_MS);
    await world.process(key);
    await world.time.advance(HOUR_MS);
    await world.settle(key);
    expect(await world.place(key, 1)).toBe('succeed');
  });
  test('[P3] a transient error leaves status and queue alone, a permanent one does not', async () => {
    const world = feedWorld();
    await world.upload(key, 'a\n!');
    world.breakTopic(true);
    await world.upload(sampleFeedKey('other'), 'a');
    await world.process(sampleFeedKey('other'));
    expect(await world.place(sampleFeedKey('other'), 1)).toBe('queued');
    world.breakTopic(false);
    await world.settle(key);
    expect(await world.place(key, 1)).toBe('failed permanent');
    await world.time.advance(HOUR_MS);
    await world.settle(sampleFeedKey('other'));
    expect(await world.place(sampleFeedKey('other'), 1)).toBe('succeed');
  });
  test('[P6] a terminal message never overtakes a batch', async () => {
    const world = feedWorld({ batch: { entriesMax: 2, bytesMax: 1_000_000 } });
    await world.upload(key, lines(5));
    await world.process(key);
    expect(world.topic.map((message) => (message.kind === 'batch' ? message.batch : 'terminal'))).toEqual([
      0,
      1,
      2,
      'terminal',
    ]);
  });
  test('[P6] answers that are told twice count once', async () => {
    const world = feedWorld();
    await world.upload(key, 'a\nb');
    const claim = (await claimNext(world, key, 'one'))._unsafeUnwrap()!;
    await world.feeds.runTask({ key, load: claim.load, token: claim.token }, world.signal);
    const answers = await world.deliver();
    await world.save(key, answers);
    await world.save(key, answers);
    const view = (await world.feeds.read.getLoad({ ...key, task: 1 as FeedTaskId }))._unsafeUnwrap();
    expect(view.statistics.verdicts).toMatchObject({ inserted: 2, unchanged: 0 });
  });
  test('[P6] a restarted run counts nothing twice', async () => {
    const world = feedWorld();
    await world.upload(key, 'a\nb\nb');
    await world.process(key);
    const lost = await world.deliver();
    await world.save(
      key,
      lost.filter(({ kind }) => kind === 'batch'),
    );
    await world.time.advance(world.settings.task.answerWithinMs + 1);
    await world.settle(key);
    await world.time.advance(HOUR_MS);
    await world.settle(key);
    const view = (await world.feeds.read.getLoad({ ...key, task: 1 as FeedTaskId }))._unsafeUnwrap();
    expect(view.load.task.place).toBe('succeed');
    expect(view.statistics).toMatchObject({ verdicts: { inserted: 2, rejected: 1 }, errors: 1 });
  });
  test('[P5] an entry whose recognition failed in passing is not deleted, and the file is processed again', async () => {
    const world = feedWorld();
    await world.upload(key, 'a Car\nb Car');
    await world.settle(key);
    await world.upload(key, 'a Car|nowhere to be had\nb Car');
    await world.settle(key);
    expect(await world.offers(key)).toEqual({ a: 'active', b: 'active' });
    expect(await world.place(key, 3)).toBe('queued');
    expect((await world.history(key))[0]).toMatchObject({
      repeats: 1,
      file: (await world.history(key))[1]!.file,
    });
  });
  test('[P4] an offer without an id holds the removal; an approval carries it out', async () => {
    const world = feedWorld();
    await world.upload(key, 'a\nb');
    await world.settle(key);
    await world.upload(key, 'a\n-');
    await world.settle(key);
    expect(await world.place(key, 2)).toBe('held');
    expect(await world.offers(key)).toEqual({ a: 'active', b: 'active' });
    const errors = (
      await world.feeds.read.listErrors({ ...key, task: 2 as FeedTaskId }, { limit: 9 })
    )._unsafeUnwrap();
    expect(errors).toMatchObject([{ externalId: '', line: 2, ordinal: 1 }]);
    (await world.feeds.manage.settleHeld(key, 2 as FeedTaskId, 'approve'))._unsafeUnwrap();
    await world.settle(key);
    expect(await world.place(key, 2)).toBe('succeed');
    expect(await world.offers(key)).toEqual({ a: 'active', b: 'removed' });
  });
  test('[P12] a held load gives way to a younger one', async () => {
    const world = feedWorld();
    await world.upload(key, lines(30));
    await world.settle(key);
    await world.upload(key, 'e0');
    await world.settle(key);
    expect(await world.place(key, 2)).toBe('held');
    await world.upload(key, lines(29));
    await world.settle(key);
    expect((await world.history(key))[1]!.task).toMatchObject({ place: 'succeed', removal: 'superseded' });
    expect(await world.place(key, 3)).toBe('succeed');
  });
  test('[P3] a late batch of an older load after the newer one ended is refused', async () => {
    const world = feedWorld();
    await world.upload(key, 'a');
    await world.process(key);
    const late = world.topic.splice(0);
    await world.time.advance(world.settings.task.answerWithinMs + 1);
    await world.process(key);
    await world.upload(key, 'b');
    await world.settle(key);
    expect((await world.deliver(late)).every(({ outcome }) => outcome === 'skipped')).toBe(true);
    expect(await world.offers(key)).toMatchObject({ b: 'active' });
  });
});

describe('feeds of a seller', () => {
  test('[P9] two feeds of one seller do not touch each other', async () => {
    const world = feedWorld();
    const second = sampleFeedKey(key.seller, 'second');
    await world.upload(key, 'a\nb');
    await world.upload(second, 'c');
    await world.settle(key);
    await world.settle(second);
    await world.feeds.manage.removeFeed(second, 'remove');
    await world.settle(second);
    expect(await world.offers(key)).toEqual({ a: 'active', b: 'active', c: 'removed' });
  });
  test('[P1] a feed removed as manual and made again at once keeps its old offers as manual', async () => {
    const world = feedWorld();
    await world.upload(key, 'a');
    await world.settle(key);
    await world.feeds.manage.removeFeed(key, 'manual');
    await world.upload(key, 'b');
    await world.settle(key);
    expect(await world.place(key, 2)).toBe('succeed');
    expect(await world.place(key, 3)).toBe('succeed');
    expect(await world.offers(key)).toEqual({ 'manual Offer a': 'active', b: 'active' });
  });
  test('[P2] [P7] one file of two sellers: when one removes his feed, the other still has it', async () => {
    const world = feedWorld();
    const other = sampleFeedKey('other');
    await world.upload(key, 'a');
    await world.upload(other, 'a');
    await world.settle(key);
    await world.settle(other);
    await world.feeds.manage.removeFeed(key, 'remove');
    await world.settle(key);
    await world.feeds.cleanUp(world.signal);
    const files = () => world.server.areas.get(FEED_FILES)?.size ?? 0;
    expect([await world.history(key), files()]).toEqual([[], 1]);
    await world.feeds.manage.removeFeed(other, 'remove');
    await world.settle(other);
    for (let n = 0; n < 4; n++) {
      await world.feeds.cleanUp(world.signal);
      await world.time.advance(world.settings.settleMs);
    }
    expect([await world.history(other), files()]).toEqual([[], 0]);
  });
  test('[P7] a file that was announced and never used is swept', async () => {
    const world = feedWorld();
    const spooled = {
      hash: 'a'.repeat(64) as never,
      bytes: 1,
      read: () => (async function* () {})(),
      discard: async () => {},
    };
    await world.feeds.keepFile.keep(key, spooled);
    await world.time.advance(world.settings.ownerMs + 1);
    for (let n = 0; n < 3; n++) {
      await world.feeds.cleanUp(world.signal);
      await world.time.advance(world.settings.settleMs);
    }
    expect((await world.stores.owners.announcedBefore(Infinity, 10))._unsafeUnwrap()).toEqual([]);
  });
  test('[P7] the cleanup keeps the only upload, and the newest of many', async () => {
    const world = feedWorld({ keepProcessed: 2, keepOthers: 1 });
    await world.upload(key, 'a');
    await world.settle(key);
    await world.feeds.cleanUp(world.signal);
    expect(await world.history(key)).toHaveLength(1);
    for (const text of ['b', '!', 'c', '!!\n!', 'd']) {
      await world.upload(key, text);
      await world.settle(key);
    }
    for (let n = 0; n < 4; n++) {
      await world.feeds.cleanUp(world.signal);
      await world.time.advance(world.settings.settleMs);
    }
    expect((await world.history(key)).map(({ task }) => task.id)).toEqual([6, 5, 4, 2]);
  });
});

describe('a link', () => {
  test('[P2] is fetched, processed, and found unchanged; 48 unchanged fetches push no load out of the history', async () => {
    const world = feedWorld();
    world.web.pages.set(URL_OF_FEED, { body: bytes('a\nb') });
    await linked(world);
    await world.fetch(key);
    await world.settle(key);
    expect(await world.offers(key)).toEqual({ a: 'active', b: 'active' });
    for (let n = 0; n < 48; n++) {
      await world.time.advance(HOUR_MS);
      await world.fetch(key);
    }
    expect(await world.history(key)).toMatchObject([{ unchanged: { count: 48 } }]);
  });
  test('[P2] equal content is processed again under another catalogue', async () => {
    const world = feedWorld();
    world.web.pages.set(URL_OF_FEED, { body: bytes('a') });
    await linked(world);
    await world.fetch(key);
    await world.settle(key);
    world.setCatalog(catalogOf(8, sampleCatalog.content));
    await world.time.advance(HOUR_MS);
    await world.fetch(key);
    expect(await world.history(key)).toHaveLength(2);
  });
  test('[P2] a failing link pauses longer each time, starves no other and is fetched when it is back', async () => {
    const world = feedWorld();
    world.web.pages.set(URL_OF_FEED, { status: 500 });
    await linked(world);
    await world.fetch(key);
    const link = async () => (await world.feeds.manage.getFeed(key))._unsafeUnwrap().link!;
    expect(await link()).toMatchObject({ failures: 1, lastFetchedAtMs: undefined });
    const first = (await link()).nextAttemptAtMs - world.time.nowMs();
    await world.time.advance(first);
    await world.fetch(key);
    expect((await link()).nextAttemptAtMs - world.time.nowMs()).toBeGreaterThan(first);
    world.web.pages.set(URL_OF_FEED, { body: bytes('a') });
    await world.time.advance(24 * HOUR_MS);
    await world.fetch(key);
    expect(await link()).toMatchObject({ failures: 0, lastError: undefined });
    expect(await world.history(key)).toHaveLength(1);
  });
  /** Feeds of one shard, so that they wait for the same workers. */
  const sameShard = (count: number) =>
    Array.from({ length: 2_000 }, (_, n) => sampleFeedKey(`neighbour-${n}`))
      .filter((one) => feedShard(one) === feedShard(key))
      .slice(0, count);
  test('[P2] failing links do not starve others, and are not starved by them', async () => {
    const world = feedWorld({ downloadsPerHost: 2 });
    const [last, ...failing] = [...sameShard(60)].reverse();
    const urlOf = (n: number): string => `https://broken.test/${n}`;
    for (const [n, of] of failing.entries()) {
      world.web.pages.set(urlOf(n), { status: 500 });
      await linked(world, urlOf(n), of);
    }
    world.web.pages.set(URL_OF_FEED, { body: bytes('a') });
    await linked(world, URL_OF_FEED, last);
    await world.fetch(key);
    expect(await world.history(last!)).toHaveLength(1);
    // Each turn asks their host twice.
    for (let turn = 0; turn < 40; turn++) await world.fetch(key);
    for (const of of failing)
      expect((await world.feeds.manage.getFeed(of))._unsafeUnwrap().link!.failures).toBeGreaterThan(0);
    // The host is back. A link that was fetched a moment ago does not come before one that never was.
    for (const [n] of failing.entries()) world.web.pages.set(urlOf(n), { body: bytes('b') });
    await world.time.advance(HOUR_MS);
    for (let turn = 0; turn < 40; turn++) await world.fetch(key);
    for (const of of failing) expect(await world.history(of)).toHaveLength(1);
  });
  test('[P2] a server that never finishes its answer holds up no other link', async () => {
    const clock: { late?: Clock } = {};
    const downloader: Downloader = {
      fetch: ({ url, signal }) => {
        const body = async function* () {
          yield bytes('a');
          if (url.includes('slow')) await sleep(clock.late!, 10 * HOUR_MS, signal);
        };
        return okAsync({ kind: 'content', url, body: body() });
      },
    };
    const world = feedWorld({ downloadsMax: 4 }, { downloader });
    clock.late = world.clock;
    const [last, ...slow] = [...sameShard(10)].reverse();
    for (const of of slow) await linked(world, `https://slow.test/${of.seller}`, of);
    const stop = new AbortController();
    const turn = world.feeds.loadTurn(feedShard(key), stop.signal);
    await world.time.advance(world.settings.pollMs);
    expect((await turn)._unsafeUnwrap()).toBe(0);
    await linked(world, URL_OF_FEED, last);
    const next = world.feeds.loadTurn(feedShard(key), stop.signal);
    await world.time.advance(world.settings.pollMs);
    expect((await next)._unsafeUnwrap()).toBe(1);
    expect(await world.history(last!)).toHaveLength(1);
    stop.abort();
    await world.feeds.loadTurn.rest(feedShard(key));
    const locks = (await world.stores.feeds.load(slow[0]!))._unsafeUnwrap()!.locks;
    expect(locks.feedloader.holder).toBeUndefined();
  });
  test.each([
    ['in two hours', 2 * HOUR_MS, 2 * HOUR_MS],
    ['at once: the own pause is longer', 0, 48_000],
    ['in a year: not later than the longest pause', 365 * 24 * HOUR_MS, 6 * HOUR_MS],
  ])('[P2] a server that says Retry-After is asked again %s', async (_name, retryAfterMs, pauseMs) => {
    const world = feedWorld();
    world.web.pages.set(URL_OF_FEED, { fails: { kind: 'HttpStatus', status: 429, retryAfterMs } });
    await linked(world);
    await world.fetch(key);
    const { link } = (await world.feeds.manage.getFeed(key))._unsafeUnwrap();
    expect(link!.nextAttemptAtMs - world.time.nowMs()).toBeGreaterThanOrEqual(pauseMs);
    expect(link!.nextAttemptAtMs - world.time.nowMs()).toBeLessThan(pauseMs * 1.3 + 30_000);
    await world.time.advance(pauseMs - 1);
    await world.fetch(key);
    expect(world.web.asked).toHaveLength(1);
  });
  test('[P2] [P7] a 304 for a file that is gone is fetched again without conditions', async () => {
    const world = feedWorld({ reprocessAfterMs: HOUR_MS });
    world.web.pages.set(URL_OF_FEED, { body: bytes('a'), headers: { etag: '"v1"' } });
    await linked(world);
    await world.fetch(key);
    await world.settle(key);
    const area = world.server.areas.get(FEED_FILES)!;
    expect(area.size).toBe(1);
    area.clear();
    await world.time.advance(2 * HOUR_MS);
    await world.fetch(key);
    await world.settle(key);
    expect(await world.history(key)).toHaveLength(2);
    expect(await world.place(key, 2)).toBe('succeed');
    expect(area.size).toBe(1);
  });
  test('[P2] a 304 is no answer about a load that came in the meantime', async () => {
    let whileAsked: () => Promise<unknown> = async () => undefined;
    const asked: unknown[] = [];
    const downloader: Downloader = {
      fetch: ({ url, known }) => {
        asked.push(known);
        const body = async function* () {
          yield bytes('a');
        };
        const answer = async () => {
          await whileAsked();
          return ok<Downloaded, never>(
            known ? { kind: 'unchanged' } : { kind: 'content', url, etag: '"v1"', body: body() },
          );
        };
        return new ResultAsync(answer());
      },
    };
    const world = feedWorld({}, { downloader });
    await linked(world);
    await world.fetch(key);
    await world.settle(key);
    whileAsked = async () => {
      whileAsked = async () => undefined;
      const { revision, feed } = (await world.stores.feeds.load(key))._unsafeUnwrap()!;
      const other = endedLoad(2, { file: { hash: 'b'.repeat(64) as BlobHash, bytes: 1, owner: 'other' } });
      const change = { feed: { ...feed, lastTask: 2 }, loads: [other] };
      (await world.stores.feeds.commit(key, revision, change))._unsafeUnwrap();
    };
    await world.time.advance(HOUR_MS);
    await world.fetch(key);
    expect(await world.history(key)).toHaveLength(2);
    await world.fetch(key);
    expect(asked).toEqual([undefined, { etag: '"v1"' }, undefined]);
    const [newest] = await world.history(key);
    expect([newest!.task.id, newest!.file!.bytes]).toEqual([3, 1]);
  });
  test('[P2] [P7] a load whose commit was answered by silence keeps its file', async () => {
    let isSilent = true;
    const storesOf = (right: FeedStores): FeedStores => ({
      ...right,
      feeds: {
        ...right.feeds,
        commit: (of, revision, change) =>
          right.feeds
            .commit(of, revision, change)
            .andThen(() => (change.loads && isSilent ? err(unavailable('feeds', undefined, true)) : ok())),
      },
    });
    const world = feedWorld({}, { storesOf });
    world.web.pages.set(URL_OF_FEED, { body: bytes('a') });
    await linked(world);
    expect((await world.feeds.fetchLink(key, 'me', world.signal))._unsafeUnwrapErr().kind).toBe(
      'Unavailable',
    );
    isSilent = false;
    for (let n = 0; n < 3; n++) {
      await world.feeds.cleanUp(world.signal);
      await world.time.advance(world.settings.settleMs);
    }
    await world.settle(key);
    expect(await world.place(key, 1)).toBe('succeed');
    expect(await world.offers(key)).toEqual({ a: 'active' });
  });
  test('[P7] a load that takes its file while the cleanup looks through the announced files keeps it', async () => {
    const world = feedWorld(
      {},
      {
        storesOf: (right) => ({
          ...right,
          owners: {
            ...right.owners,
            // The list as it was before the load's commit.
            announcedBefore: (atMs, limit) =>
              right.feeds
                .history(key, { limit: 1 })
                .andThen((loads) =>
                  right.owners
                    .announcedBefore(atMs, limit)
                    .map((found) => [
                      ...found,
                      ...loads.flatMap(({ file }) =>
                        file ? [{ id: file.owner, hash: file.hash, atMs: 0 }] : [],
                      ),
                    ]),
                ),
          },
        }),
      },
    );
    await world.upload(key, 'a');
    expect((await world.feeds.cleanUp(world.signal)).isOk()).toBe(true);
    await world.settle(key);
    expect(await world.place(key, 1)).toBe('succeed');
    expect(world.server.areas.get(FEED_FILES)?.size).toBe(1);
  });
  test('[P2] a loader that slept through its lock makes no load', async () => {
    const world = feedWorld();
    world.web.pages.set(URL_OF_FEED, { body: bytes('a') });
    await linked(world);
    const stored = (await world.stores.feeds.load(key))._unsafeUnwrap()!;
    await world.stores.feeds.commit(key, stored.revision, {
      locks: { feedloader: { token: 4, holder: 'asleep', renewedAtMs: world.time.nowMs() } },
    });
    expect((await world.feeds.fetchLink(key, 'me', world.signal))._unsafeUnwrapErr().kind).toBe('Busy');
    await world.time.advance(world.settings.lockMs);
    await world.fetch(key);
    await world.fetch(key);
    expect(await world.history(key)).toHaveLength(1);
    expect((await world.stores.feeds.load(key))._unsafeUnwrap()!.locks.feedloader).toMatchObject({
      token: 5,
      holder: undefined,
    });
  });
});

describe('a file of a crawler that comes as a link', () => {
  const parsed = { seller: key.seller, namespace: 'parsed-avito' };
  const asked = async (world: ReturnType<typeof feedWorld>, url = URL_OF_FEED) =>
    world.feeds.receive.loadParsedLink(key.seller, 'avito', url);
  const linkOf = async (world: ReturnType<typeof feedWorld>) =>
    (await world.feeds.manage.getFeed(parsed))._unsafeUnwrap().link;

  test('[P8] is fetched once and loaded in the namespace of its source', async () => {
    const world = feedWorld();
    world.web.pages.set(URL_OF_FEED, { body: bytes('a\nb') });
    (await asked(world))._unsafeUnwrap();
    await world.fetch(parsed);
    await world.settle(parsed);
    expect(await world.history(parsed)).toMatchObject([{ origin: 'parsed', task: { place: 'succeed' } }]);
    expect(await world.offers(parsed)).toEqual({ a: 'active', b: 'active' });
    expect(await linkOf(world)).toBeUndefined();
    await world.time.advance(30 * 24 * HOUR_MS);
    await world.fetch(parsed);
    expect(world.web.asked).toEqual([URL_OF_FEED]);
    expect(await world.history(key)).toEqual([]);
  });
  test('[P8] is given up if the server says that there is no such file, and tried again if it is away', async () => {
    const world = feedWorld();
    world.web.pages.set(URL_OF_FEED, { status: 410 });
    await asked(world);
    await world.fetch(parsed);
    await world.time.advance(365 * 24 * HOUR_MS);
    await world.fetch(parsed);
    expect(world.web.asked).toHaveLength(1);
    expect(await linkOf(world)).toMatchObject({ failures: 1, nextAttemptAtMs: NEVER_MS });
    expect((await linkOf(world))!.lastError!.message).toContain('410');
    world.web.pages.set(URL_OF_FEED, { status: 503 });
    await asked(world);
    for (let n = 0; n < world.settings.task.attemptsMax + 5; n++) {
      await world.fetch(parsed);
      await world.time.advance(world.settings.fetchRetry.maxMs * 2);
    }
    expect(world.web.asked).toHaveLength(2 + world.settings.task.attemptsMax);
    world.web.pages.set(URL_OF_FEED, { body: bytes('a') });
    await asked(world);
    await world.fetch(parsed);
    expect(await world.history(parsed)).toHaveLength(1);
  });
  test.each(['http://127.0.0.1/f', 'http://localhost:8080/f', 'https://feeds.test/inside'])(
    '[P8] at %s is not asked for',
    async (url) => {
      const world = feedWorld();
      const location = 'http://127.0.0.1/secret';
      world.web.pages.set('https://feeds.test/inside', { status: 302, headers: { location } });
      await asked(world, url);
      await world.fetch(parsed);
      expect(world.web.asked.filter((one) => one !== 'https://feeds.test/inside')).toEqual([]);
      expect(await linkOf(world)).toMatchObject({ nextAttemptAtMs: NEVER_MS });
      expect((await linkOf(world))!.lastError!.message).toContain('not a public address');
    },
  );
  test('[P8] that names no http address, or comes of a source with a wrong name, is refused at once', async () => {
    const world = feedWorld();
    for (const url of ['file:///etc/passwd', 'https://me:secret@feeds.test/f', ''])
      expect((await asked(world, url))._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidInput' });
    const { receive } = world.feeds;
    const wrong = await receive.loadParsedLink(key.seller, 'A B', URL_OF_FEED);
    expect(wrong._unsafeUnwrapErr()).toMatchObject({ violations: [{ path: 'source' }] });
  });
  test('[P8] gives way to a newer link or file, also while it is being downloaded', async () => {
    let whileAsked: () => Promise<unknown> = async () => undefined;
    const downloader: Downloader = {
      fetch: ({ url }) => {
        const body = async function* () {
          yield bytes('old');
          const act = whileAsked;
          whileAsked = async () => undefined;
          await act();
        };
        return okAsync({ kind: 'content', url, body: body() });
      },
    };
    const world = feedWorld({}, { downloader });
    await asked(world);
    whileAsked = () => asked(world, 'https://feeds.test/newer');
    await world.fetch(parsed);
    expect([await world.history(parsed), (await linkOf(world))?.url]).toEqual([
      [],
      'https://feeds.test/newer',
    ]);
    whileAsked = async () => {
      const file = (async function* () {
        yield bytes('new');
      })();
      (await world.feeds.receive.loadParsed(key.seller, 'avito', file))._unsafeUnwrap();
    };
    await world.fetch(parsed);
    await world.settle(parsed);
    expect(await world.history(parsed)).toHaveLength(1);
    expect(await world.offers(parsed)).toEqual({ new: 'active' });
  });
});

describe('erasing a seller', () => {
  test('[P1] leaves no settings, loads or errors, and the numbers of loads go on', async () => {
    const world = feedWorld();
    await world.upload(key, 'a');
    await world.settle(key);
    (await world.feeds.erase(key.seller))._unsafeUnwrap();
    await world.settle(key);
    for (let n = 0; n < 4; n++) {
      await world.feeds.cleanUp(world.signal);
      await world.time.advance(world.settings.settleMs);
    }
    expect(await world.history(key)).toEqual([]);
    expect(await world.offers(key)).toEqual({ a: 'removed' });
    expect((await world.upload(key, 'b'))._unsafeUnwrap().task.id).toBe(3);
  });
});
