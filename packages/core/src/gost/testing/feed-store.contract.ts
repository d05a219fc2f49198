import { err, ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommitUnit } from '../commit/commit-unit.ts';
import type { FeedKey, FeedMove, FeedProgress, FeedRow } from '../autoload/feed.ts';
import { publication, type GostHarness, type GostStores } from './gost-stores.ts';
import { sampleOfferId, sampleSeller } from './samples.ts';

const feed: FeedKey = { seller: sampleSeller(), namespace: 'main' };
const other: FeedKey = { seller: sampleSeller(), namespace: 'spare/parts' };
const progress: FeedProgress = {
  task: 1,
  generation: 1,
  nextBatch: 1,
  offersSeen: 2,
  answeredAtUs: 9,
  terminal: undefined,
};
const row = (n: number, change: Partial<FeedRow> = {}): FeedRow => ({
  externalId: `ext-${n}`,
  offerId: sampleOfferId(n),
  task: 1,
  ordinal: n,
  result: { verdict: 'inserted', errors: [] },
  removedAtUs: undefined,
  ...change,
});
const move = (
  expectedVersion: number,
  rows: readonly FeedRow[],
  change: Partial<FeedMove> = {},
): FeedMove => ({
  ...feed,
  expectedVersion,
  progress,
  rows,
  dropped: [],
  ...change,
});

export const feedStoreContract = (backend: string, { open }: GostHarness): void => {
  describe(`FeedStore contract: ${backend}`, () => {
    let stores: GostStores, again: () => GostStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, again, close } = await open()));
    afterEach(() => close());
    const commit = async (unit: Partial<CommitUnit>) =>
      (await stores.offers.commit([{ changes: [], ...unit }]))._unsafeUnwrap()[0];
    const ids = (rows: readonly FeedRow[]) => rows.map(({ externalId }) => externalId).sort();
    const unseen = async (task: number, limit = 9) =>
      ids((await again().feeds.unseenSince(feed, task, limit))._unsafeUnwrap());

    test('[G8] progress and rows are committed with the offers of their unit', async () => {
      expect(await stores.feeds.progress(feed)).toEqual(ok({ version: 0, progress: undefined }));
      const error = {
        level: 'warning',
        code: 'x',
        path: 'p',
        message: 'м',
        value: undefined,
        line: 7,
      } as const;
      const rows = [row(1), row(2, { offerId: undefined, result: { verdict: 'rejected', errors: [error] } })];
      expect(await commit({ changes: [publication(1)], feed: move(0, rows) })).toEqual(ok(undefined));
      expect(await again().feeds.progress(feed)).toEqual(ok({ version: 1, progress }));
      const found = (await again().feeds.rows(feed, ['ext-2', 'ext-1', 'ext-9']))._unsafeUnwrap();
      expect([...found].sort((a, b) => a.ordinal - b.ordinal)).toEqual(rows);
      expect((await stores.offers.load([sampleOfferId(1)]))._unsafeUnwrap()).toHaveLength(1);
      expect(await stores.feeds.rows(feed, [])).toEqual(ok([]));
    });
    test('[G8] a unit decided on another progress is refused whole', async () => {
      await commit({ feed: move(0, [row(1)]) });
      expect(await commit({ changes: [publication(2)], feed: move(0, [row(2)]) })).toEqual(
        err({ kind: 'Conflict' }),
      );
      expect(await stores.offers.load([sampleOfferId(2)])).toEqual(ok([]));
      expect(await unseen(9)).toEqual(['ext-1']);
      const rivals = await Promise.all(
        [1, 2, 3].map((n) => again().offers.commit([{ changes: [], feed: move(1, [row(n + 10)]) }])),
      );
      expect(rivals.filter((one) => one._unsafeUnwrap()[0]!.isOk())).toHaveLength(1);
    });
    test('[G8] feeds of one seller do not affect each other', async () => {
      await commit({ feed: move(0, [row(1), row(2)]) });
      await commit({ feed: move(0, [row(1, { task: 5 })], other) });
      expect(await unseen(9)).toEqual(['ext-1', 'ext-2']);
      expect(ids((await stores.feeds.unseenSince(other, 9, 9))._unsafeUnwrap())).toEqual(['ext-1']);
      await commit({ feed: move(1, [], { dropped: ['ext-1'] }) });
      expect((await stores.feeds.rows(other, ['ext-1']))._unsafeUnwrap()).toHaveLength(1);
      expect(await unseen(9)).toEqual(['ext-2']);
    });
    test('[G8] rows last seen by an older load are listed, a bounded number at a time, without removed ones', async () => {
      const removed = row(4, { removedAtUs: 50 });
      await commit({ feed: move(0, [row(1), row(2, { task: 2 }), row(3), removed]) });
      expect(await unseen(1)).toEqual([]);
      expect(await unseen(2)).toEqual(['ext-1', 'ext-3']);
      expect(await unseen(2, 1)).toHaveLength(1);
      expect(await unseen(3)).toEqual(['ext-1', 'ext-2', 'ext-3']);
      expect(await stores.feeds.count(feed, 2)).toEqual(ok({ rows: 3, unseen: 2 }));
      expect((await stores.feeds.rows(feed, ['ext-4']))._unsafeUnwrap()).toEqual([removed]);
      expect(await stores.feeds.forgetRemoved(50, 9)).toEqual(ok(0));
      expect(await stores.feeds.forgetRemoved(51, 9)).toEqual(ok(1));
      expect(await stores.feeds.rows(feed, ['ext-4'])).toEqual(ok([]));
    });
    test('[G8] the messages of a unit are queued by its commit, and not if it is refused', async () => {
      const record = {
        shard: 0,
        topic: 'feed-results',
        key: 's',
        id: 'main',
        atUs: 5,
        value: Uint8Array.of(7),
      };
      await commit({ feed: move(0, []), outbox: [record] });
      await commit({ feed: move(0, []), outbox: [{ ...record, atUs: 6 }] });
      const queued = (await stores.queue.read(0, 9))._unsafeUnwrap();
      expect(queued.map(({ topic, atUs, value }) => [topic, atUs, ...value])).toEqual([
        ['feed-results', 5, 7],
      ]);
      // Another feed of the seller answers at the same moment: both stay.
      await commit({ feed: move(0, [], other), outbox: [{ ...record, id: 'spare/parts' }] });
      expect((await stores.queue.read(0, 9))._unsafeUnwrap().map(({ id }) => id)).toEqual([
        'main',
        'spare/parts',
      ]);
      await stores.queue.delete([{ ...record, id: 'spare/parts' }]);
      expect((await stores.queue.read(0, 9))._unsafeUnwrap().map(({ id }) => id)).toEqual(['main']);
    });
  });
};
