import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { documentShard } from '../queues/shard-of-document.ts';
import type { Advance, QueueReader } from '../queues/document-queues.port.ts';
import type { FailedElement, QueueName } from '../queues/queue-element.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import { SAMPLE_SHARDS, sampleClient, sampleWrite } from './document-samples.ts';
import { openWithClient, type VasgenHarness } from './vasgen-harness.ts';

const client = sampleClient();
const shard = documentShard('a', SAMPLE_SHARDS);
const reader = (queue: QueueName = 'main', group = 'indexer'): QueueReader => ({
  client,
  queue,
  shard,
  group,
});
const failure = (given: Partial<FailedElement> = {}): FailedElement => ({
  pk: 'a',
  epoch: 1,
  version: 1,
  timestampMs: 1_000,
  failure: { queue: 'main', reason: 'no converter', attempts: 1, retryAtMs: 9_000 },
  ...given,
});
const done = (to: number, from?: number, more: Partial<Advance> = {}): Advance => ({
  from,
  to,
  failed: [],
  parked: [],
  ...more,
});

export const queuesContract = (backend: string, harness: VasgenHarness): void => {
  describe(`DocumentQueues contract: ${backend}`, () => {
    let stores: VasgenStores, other: VasgenStores, close: () => Promise<void>;
    beforeEach(async () => {
      const opened = await openWithClient(harness);
      stores = opened.stores;
      other = opened.again();
      close = opened.close;
    });
    afterEach(() => close());
    const put = async (version: number, lane: 'main' | 'bulk' = 'main', pk = 'a') =>
      (await stores.registry.accept(client, [sampleWrite({ pk, lane, place: { version } })]))._unsafeUnwrap();
    const read = async (queue: QueueName = 'main', after = 0, limit = 100) =>
      (await stores.queues.read(reader(queue), after, limit))._unsafeUnwrap();
    const advance = (given: Advance, by = reader()) => stores.queues.advance(by, given);
    const indexes = async (queue: QueueName = 'main') =>
      (await read(queue)).map(({ element }) => element.idx);

    test('[V6] elements are read in order after an idx, each with its document as it is now', async () => {
      for (const version of [1, 2, 3]) await put(version);
      const found = await read('main', 1, 2);
      expect(found.map(({ element }) => [element.idx, element.version])).toEqual([
        [2, 2],
        [3, 3],
      ]);
      expect(found.map(({ row }) => row!.place.version)).toEqual([3, 3]);
      expect(await read('main', 3)).toEqual([]);
      expect((await read('main', 0, 1)).map(({ element }) => element.idx)).toEqual([1]);
    });
    test('[V7] an element whose row was forgotten has none', async () => {
      (await stores.registry.accept(client, [sampleWrite({ status: 'tombstone' })]))._unsafeUnwrap();
      (await stores.registry.forgetTombstones(client, shard, 99_000, 9))._unsafeUnwrap();
      expect(await read()).toMatchObject([{ element: { pk: 'a' }, row: undefined }]);
    });
    test('[V6] queues and shards count for themselves', async () => {
      const elsewhere = Array.from({ length: 60 }, (_, i) => `q${i}`).find(
        (pk) => documentShard(pk, SAMPLE_SHARDS) !== shard,
      )!;
      await put(1);
      await put(2, 'bulk');
      await put(1, 'main', elsewhere);
      expect([await indexes('main'), await indexes('bulk')]).toEqual([[1], [1]]);
      const heads = (await stores.queues.heads(client, 'main'))._unsafeUnwrap();
      expect(heads).toHaveLength(SAMPLE_SHARDS);
      expect(heads.reduce((sum, n) => sum + n, 0)).toBe(2);
      expect(heads[shard]).toBe(1);
    });
    test('[V6] the size of what is read is bounded by bytes', async () => {
      const body = new Uint8Array(300_000);
      const pks = Array.from({ length: 90 }, (_, i) => `q${i}`)
        .filter((pk) => documentShard(pk, SAMPLE_SHARDS) === shard)
        .slice(0, 6);
      for (const pk of pks)
        (await stores.registry.accept(client, [sampleWrite({ pk, body })]))._unsafeUnwrap();
      const found = await read();
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThan(6);
      const rest = await read('main', found.at(-1)!.element.idx);
      expect(rest[0]!.element.idx).toBe(found.length + 1);
    });

    test('[V6] the first commit of an offset inserts it, the next ones compare', async () => {
      expect((await stores.queues.offset(reader()))._unsafeUnwrap()).toBeUndefined();
      (await advance(done(3)))._unsafeUnwrap();
      expect((await stores.queues.offset(reader()))._unsafeUnwrap()).toBe(3);
      (await advance(done(5, 3)))._unsafeUnwrap();
      expect((await stores.queues.offset(reader()))._unsafeUnwrap()).toBe(5);
    });
    test('[V11] the offsets of all shards are of one queue and group; 0 where nothing is done', async () => {
      const offsets = async (queue: QueueName, group: string) =>
        (await stores.queues.offsets(client, queue, group))._unsafeUnwrap();
      const none = Array.from({ length: SAMPLE_SHARDS }, () => 0);
      expect(await offsets('main', reader().group)).toEqual(none);
      (await advance(done(3)))._unsafeUnwrap();
      expect(await offsets('main', reader().group)).toEqual(none.with(shard, 3));
      expect(await offsets('bulk', reader().group)).toEqual(none);
      expect(await offsets('main', 'another group')).toEqual(none);
    });
    test.each([
      ['the first commit again', undefined, 3],
      ['an older offset', 2, 3],
      ['a later offset', 4, 3],
    ] as const)('[V6] %s is refused, and says what stands', async (_what, from, actual) => {
      (await advance(done(3)))._unsafeUnwrap();
      const refused = await other.queues.advance(reader(), done(9, from, { failed: [failure()] }));
      expect(refused._unsafeUnwrapErr()).toEqual({ kind: 'OffsetMoved', expected: from, actual });
      expect((await stores.queues.offset(reader()))._unsafeUnwrap()).toBe(3);
      expect(await indexes('failed')).toEqual([]);
    });
    test('[V6] an offset that is expected and not there is refused', async () => {
      expect((await advance(done(9, 3)))._unsafeUnwrapErr()).toEqual({
        kind: 'OffsetMoved',
        expected: 3,
        actual: undefined,
      });
    });
    test('[V6] one of eight indexers that commit at once wins', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 ? stores : other).queues.advance(reader(), done(i + 1))),
      );
      expect(outcomes.filter((outcome) => outcome.isOk())).toHaveLength(1);
    });
    test('[V6] groups, queues and shards have offsets of their own', async () => {
      (await advance(done(3)))._unsafeUnwrap();
      const others = [reader('main', 'archive'), reader('bulk'), { ...reader(), shard: (shard + 1) % 4 }];
      for (const one of others) expect((await stores.queues.offset(one))._unsafeUnwrap()).toBeUndefined();
    });

    test('[V7] failures are stored with the offset, under an idx of their own, with epoch, timestamp and reason', async () => {
      const fromMain = failure();
      const fromBulk = failure({ version: 2, failure: { ...failure().failure, queue: 'bulk', attempts: 3 } });
      (await advance(done(7, undefined, { failed: [fromMain] })))._unsafeUnwrap();
      (await advance(done(7, undefined, { failed: [fromBulk] }), reader('bulk')))._unsafeUnwrap();
      expect((await read('failed')).map(({ element }) => element)).toEqual([
        { ...fromMain, idx: 1 },
        { ...fromBulk, idx: 2 },
      ]);
    });
    test('[V7] parked elements are listed one for each document and epoch, the newest, and can be taken off', async () => {
      const a = failure();
      const newer = failure({ version: 2 });
      const b = failure({ pk: 'b' });
      (await advance(done(1, undefined, { parked: [a, b] })))._unsafeUnwrap();
      (await advance(done(2, 1, { parked: [newer] })))._unsafeUnwrap();
      const list = async (page: Parameters<VasgenStores['queues']['parked']>[1]) =>
        (await stores.queues.parked(client, page))._unsafeUnwrap();
      expect(await list({ limit: 9 })).toEqual([newer, b]);
      expect(await list({ limit: 1 })).toEqual([newer]);
      expect(await list({ after: { epoch: 1, pk: 'a' }, limit: 9 })).toEqual([b]);
      (
        await stores.queues.unpark(client, [
          { epoch: 1, pk: 'a' },
          { epoch: 7, pk: 'x' },
        ])
      )._unsafeUnwrap();
      expect(await list({ limit: 9 })).toEqual([b]);
    });

    test('[V6] a re-send puts the present state of the documents into the queue, unknown ones are left out', async () => {
      await put(1);
      await put(5);
      const count = await stores.queues.resend(client, 'emergency', 1, [
        { pk: 'a', shard },
        { pk: 'unknown', shard },
      ]);
      expect(count._unsafeUnwrap()).toBe(1);
      expect(await read('emergency')).toMatchObject([
        { element: { idx: 1, pk: 'a', version: 5, failure: undefined }, row: { place: { version: 5 } } },
      ]);
    });

    test('[V6] elements are purged when every group has done them and they are old', async () => {
      for (const version of [1, 2, 3, 4]) await put(version);
      const purge = async (beforeMs = Number.MAX_SAFE_INTEGER, limit = 100) =>
        (await stores.queues.purge(reader(), beforeMs, limit))._unsafeUnwrap();
      expect(await purge()).toBe(0);
      (await advance(done(3)))._unsafeUnwrap();
      (await advance(done(2), reader('main', 'archive')))._unsafeUnwrap();
      expect(await purge(0)).toBe(0);
      expect(await purge(Number.MAX_SAFE_INTEGER, 1)).toBe(1);
      expect(await purge()).toBe(1);
      expect(await indexes()).toEqual([3, 4]);
      await put(5);
      expect(await indexes()).toEqual([3, 4, 5]);
    });
    test('[V6] idx goes on after everything was purged', async () => {
      await put(1);
      (await advance(done(1)))._unsafeUnwrap();
      (await stores.queues.purge(reader(), Number.MAX_SAFE_INTEGER, 9))._unsafeUnwrap();
      await put(2);
      expect(await indexes()).toEqual([2]);
    });
    test('[V6] a reader that has seen idx n never finds a lower one later, while 8 writers commit', async () => {
      let after = 0;
      let writing = true;
      const seen: number[] = [];
      const reading = (async () => {
        for (let last = false; !last;) {
          last = !writing;
          for (const { element } of await read('main', after)) {
            seen.push(element.idx);
            after = element.idx;
          }
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      await Promise.all(
        Array.from({ length: 8 }, async (_, writer) => {
          for (let n = 0; n < 10; n++)
            (
              await (writer % 2 ? stores : other).registry.accept(client, [
                sampleWrite({ place: { version: n * 8 + writer } }),
              ])
            )._unsafeUnwrap();
        }),
      );
      writing = false;
      await reading;
      const all = await indexes();
      expect(seen).toEqual(all);
      expect(all).toEqual(all.map((_, i) => i + 1));
    });
  });
};
