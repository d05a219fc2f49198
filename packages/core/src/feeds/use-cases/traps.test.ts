import { catalogOf } from '../../catalog/index.ts';
import { sampleCatalog } from '../../gost/testing.ts';
import { err, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { unavailable } from '../../kernel/index.ts';
import { noDefaults } from '../domain/feed.ts';
import type { FeedTaskId } from '../domain/feed-task.ts';
import type { FeedStores } from '../ports/feed-store.port.ts';
import { FEED_FILES } from './keep-file.ts';
import { claimNext } from './shard-workers.ts';
import { feedWorld } from '../testing/feed-world.ts';
import { sampleFeedKey } from '../testing/feed-samples.ts';

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
