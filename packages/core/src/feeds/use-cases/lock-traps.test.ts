import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { sleep, unavailable, type Clock, type Downloader } from '../../kernel/index.ts';
import { noDefaults } from '../domain/feed.ts';
import type { FeedTaskId } from '../domain/feed-task.ts';
import { defaultFeedsSettings, feedShard } from '../domain/settings.ts';
import type { FeedReader } from '../ports/feed-reader.port.ts';
import { sampleFeedKey } from '../testing/feed-samples.ts';
import { feedWorld, type FeedWorldParts } from '../testing/feed-world.ts';
import { plainReader } from '../testing/plain-reader.ts';
import { claimNext } from './shard-workers.ts';

const key = sampleFeedKey();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A world whose ports wait: the test decides when they go on. */
const slowWorld = (
  part: (clock: () => Clock) => FeedWorldParts,
  settings: Parameters<typeof feedWorld>[0] = {},
) => {
  const late: { clock?: Clock } = {};
  const world = feedWorld(
    settings,
    part(() => late.clock!),
  );
  late.clock = world.clock;
  return world;
};
type World = ReturnType<typeof feedWorld>;
const linked = async (world: World, url = 'https://feeds.test/feed.txt') =>
  (
    await world.feeds.manage.setFeed(key, {
      url,
      intervalMs: HOUR_MS,
      format: 'auto',
      absent: 'remove',
      defaults: noDefaults,
    })
  )._unsafeUnwrap();
/** Time passes, and the watchdog looks every minute. */
const pass = async (world: World, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += MINUTE_MS) {
    await world.time.advance(MINUTE_MS);
    (await world.feeds.watch(feedShard(key)))._unsafeUnwrap();
  }
};
const locks = async (world: World) => (await world.stores.feeds.load(key))._unsafeUnwrap()!.locks;

describe('a download that takes long', () => {
  const TAKES_MS = 35 * MINUTE_MS;
  const signals: AbortSignal[] = [];
  const slowDownload = (): World =>
    slowWorld((clock) => {
      const downloader: Downloader = {
        fetch: ({ url, signal }) => {
          signals.push(signal!);
          const body = async function* () {
            yield new TextEncoder().encode('a\n');
            await sleep(clock(), TAKES_MS, signal);
            yield new TextEncoder().encode('b\n');
          };
          return okAsync({ kind: 'content', url, body: body() });
        },
      };
      return { downloader };
    });

  test('[P2] keeps its lock and makes its load, although it takes longer than a lock lives', async () => {
    const world = slowDownload();
    await linked(world);
    const fetching = world.feeds.fetchLink(key, 'me', world.signal);
    await pass(world, TAKES_MS + MINUTE_MS);
    expect((await fetching)._unsafeUnwrap()).toBe('loaded');
    expect((await locks(world)).feedloader).toMatchObject({ token: 1, holder: undefined });
  });
  test.each(['changed', 'removed'])(
    '[P2] a feed %s in the middle of its download makes no load',
    async (what) => {
      const world = slowDownload();
      await linked(world);
      const fetching = world.feeds.fetchLink(key, 'me', world.signal);
      await pass(world, MINUTE_MS);
      expect((await locks(world)).feedloader.holder).toBe('me');
      if (what === 'changed') await linked(world, 'https://feeds.test/other.txt');
      else (await world.feeds.manage.removeFeed(key, 'remove'))._unsafeUnwrap();
      await pass(world, TAKES_MS);
      expect((await fetching)._unsafeUnwrap()).toBe('out of date');
      expect((await world.history(key)).filter(({ origin }) => origin === 'link')).toEqual([]);
      expect((await locks(world)).feedloader.holder).toBeUndefined();
      const announced = await world.stores.owners.announcedBefore(Infinity, 10);
      for (const { id } of announced._unsafeUnwrap())
        expect((await world.stores.owners.loadsOf(id))._unsafeUnwrap()).toBe(0);
    },
  );
  test('[P2] stops when another loader has its lock, and makes no load', async () => {
    const world = slowDownload();
    await linked(world);
    const fetching = world.feeds.fetchLink(key, 'me', world.signal);
    await world.time.advance(1);
    const { revision } = (await world.stores.feeds.load(key))._unsafeUnwrap()!;
    const taken = { token: 2, holder: 'heir', renewedAtMs: world.time.nowMs() };
    (await world.stores.feeds.commit(key, revision, { locks: { feedloader: taken } }))._unsafeUnwrap();
    await world.time.advance(world.settings.renewMs);
    expect(signals.at(-1)!.aborted).toBe(true);
    expect((await fetching)._unsafeUnwrapErr().kind).toBe('LockLost');
    expect(await world.history(key)).toEqual([]);
    expect((await locks(world)).feedloader).toEqual(taken);
  });
});

describe('a run that takes long', () => {
  const slowReader = (clock: () => Clock): FeedReader => ({
    read: async function* (source, options) {
      await sleep(clock(), 35 * MINUTE_MS);
      yield* plainReader.read(source, options);
    },
  });
  test('[P3] keeps its lock before its first batch, however long the file is looked at', async () => {
    const world = slowWorld((clock) => ({ reader: slowReader(clock) }));
    await world.upload(key, 'a\nb');
    const running = world.process(key);
    await pass(world, 36 * MINUTE_MS);
    expect(await running).toBe(1);
    expect((await world.history(key))[0]!.task).toMatchObject({ place: 'sent', generation: 1, attempts: 0 });
  });
  test('[P3] a living run whose lock the watchdog has freed stops and commits nothing', async () => {
    const world = slowWorld((clock) => ({ reader: slowReader(clock) }));
    await world.upload(key, 'a\nb');
    const claim = (await claimNext(world, key, 'one'))._unsafeUnwrap()!;
    const { revision, locks: held } = (await world.stores.feeds.load(key))._unsafeUnwrap()!;
    const free = { ...held.feedprocessor, holder: undefined };
    (await world.stores.feeds.commit(key, revision, { locks: { feedprocessor: free } }))._unsafeUnwrap();
    const run = world.feeds.runTask({ key, load: claim.load, token: claim.token }, world.signal);
    await pass(world, 36 * MINUTE_MS);
    expect((await run)._unsafeUnwrapErr().kind).toBe('LockLost');
    expect(world.topic).toEqual([]);
  });
  test('[P4] [P3] longer than it may is a failed attempt, also while the reader looks for the end of the file', async () => {
    // It reads what is stored again and again, and gives nothing: an archive that unpacks for hours.
    const endless = (clock: () => Clock): FeedReader => ({
      read: async function* (source) {
        try {
          for (;;) {
            for await (const chunk of (await source.read())._unsafeUnwrap())
              if (chunk.length > 0) await sleep(clock(), MINUTE_MS);
          }
        } catch (cause) {
          yield err(unavailable('feed file', cause));
        }
      },
    });
    const world = slowWorld((clock) => ({ reader: endless(clock) }), { runMsMax: HOUR_MS });
    await world.upload(key, 'a\nb');
    const running = world.process(key);
    await pass(world, 62 * MINUTE_MS);
    expect(await running).toBe(1);
    const [load] = await world.history(key);
    expect(load!.task).toMatchObject({ place: 'queued', attempts: 1 });
    expect((await locks(world)).feedprocessor.holder).toBeUndefined();
  });
  test('[P3] that is stopped while the reader looks for the end of the file counts no attempt', async () => {
    const stop = new AbortController();
    const reader: FeedReader = {
      read: async function* (source) {
        stop.abort();
        try {
          for await (const _ of (await source.read())._unsafeUnwrap()) continue;
        } catch (cause) {
          yield err(unavailable('feed file', cause));
        }
      },
    };
    const world = feedWorld({}, { reader });
    await world.upload(key, 'a\nb');
    (await world.feeds.processTurn(feedShard(key), stop.signal))._unsafeUnwrap();
    expect((await world.history(key))[0]!.task).toMatchObject({ place: 'queued', attempts: 0 });
  });
  test('[P4] is read within the limits that are set', async () => {
    const seen: unknown[] = [];
    const reader: FeedReader = {
      read: (source, options) => {
        seen.push(options.limits);
        return plainReader.read(source, options);
      },
    };
    const own = { ratioMax: 3, depthMax: 4, nameCharsMax: 5, attributeCharsMax: 6 };
    const read = { ...own, attributesMax: 7, textCharsMax: 8 };
    const { file } = defaultFeedsSettings;
    const world = feedWorld({ read, offersMax: 9, file: { ...file, decodedBytesMax: 10 } }, { reader });
    await world.upload(key, 'a');
    await world.process(key);
    expect(seen).toEqual([{ ...read, offersMax: 9, decodedBytesMax: 10 }]);
  });
  test('[P3] a load that ended while it ran frees its lock at once', async () => {
    const world: World = feedWorld(
      { batch: { entriesMax: 1, bytesMax: 1_000_000 } },
      { onPublish: async () => void (await world.feeds.manage.removeFeed(key, 'remove')) },
    );
    // So many errors make the run save them, and it finds that its load has ended.
    await world.upload(key, `a\n${'-\n'.repeat(1_000)}`);
    await world.process(key);
    expect(await world.place(key, 1)).toBe('failed feed-removed');
    expect((await locks(world)).feedprocessor.holder).toBeUndefined();
  });
  test('[P4] thousands of offers without an id are counted exactly, and saved while the run goes on', async () => {
    const world = feedWorld();
    await world.upload(key, `a\n${'-\n'.repeat(2_500)}`);
    await world.process(key);
    const view = (await world.feeds.read.getLoad({ ...key, task: 1 as FeedTaskId }))._unsafeUnwrap();
    expect(view.statistics).toMatchObject({ codes: { validation: 2_500 }, stored: 2_500 });
    expect(view.load.progress.unreadable).toBe(2_500);
  });
});

describe('answers', () => {
  test('[P6] that are saved before the processor knows that its terminal message is written end the load', async () => {
    const seen: string[] = [];
    const world: World = feedWorld(
      {},
      {
        onPublish: async (message) => {
          if (message.kind !== 'terminal') return;
          await world.save(key, await world.deliver());
          seen.push(await world.place(key, 1));
        },
      },
    );
    await world.upload(key, 'a\nb');
    await world.process(key);
    expect(seen).toEqual(['succeed']);
    expect(await world.place(key, 1)).toBe('succeed');
    const view = (await world.feeds.read.getLoad({ ...key, task: 1 as FeedTaskId }))._unsafeUnwrap();
    expect(view.statistics.verdicts).toMatchObject({ inserted: 2 });
    expect((await locks(world)).feedprocessor.holder).toBeUndefined();
  });
  test('[P6] of two offers with one id: the first wins, the second is told as a duplicate', async () => {
    const world = feedWorld();
    await world.upload(key, 'a First\na Second');
    await world.settle(key);
    const errors = await world.feeds.read.listErrors({ ...key, task: 1 as FeedTaskId }, { limit: 9 });
    expect(errors._unsafeUnwrap()).toMatchObject([{ code: 'duplicate', title: 'Second', line: 2 }]);
  });
});

describe('offers without an id', () => {
  test('[P4] hold no load if the last carried out one had as many of them', async () => {
    const world = feedWorld();
    await world.upload(key, 'a\nb\n-');
    await world.settle(key);
    expect(await world.place(key, 1)).toBe('held');
    (await world.feeds.manage.settleHeld(key, 1 as FeedTaskId, 'approve'))._unsafeUnwrap();
    await world.settle(key);
    await world.upload(key, 'a\n-');
    await world.settle(key);
    expect(await world.place(key, 2)).toBe('succeed');
    await world.upload(key, 'a\n-\n-');
    await world.settle(key);
    expect(await world.place(key, 3)).toBe('held');
  });
});

describe('photo errors', () => {
  test('[P13] are shown without any load, the newest list of an offer replaces the last one', async () => {
    const world = feedWorld();
    await world.upload(key, '!');
    const errors = (reason: string) => [{ url: 'https://shop.test/1.jpg', reason }];
    const offer = { offerId: 'o1', externalId: 'a' };
    const { photoErrors } = world.stores;
    (await photoErrors.replace(key, offer, errors('404')))._unsafeUnwrap();
    (await photoErrors.replace(key, offer, errors('too large')))._unsafeUnwrap();
    const shown = await photoErrors.list(key, { limit: 9 });
    expect(shown).toEqual(ok([{ ...offer, url: 'https://shop.test/1.jpg', reason: 'too large' }]));
    (await photoErrors.replace(key, offer, []))._unsafeUnwrap();
    expect(await photoErrors.list(key, { limit: 9 })).toEqual(ok([]));
  });
});
