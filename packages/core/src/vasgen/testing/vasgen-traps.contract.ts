import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IndexedDocument } from '../document/indexed-document.ts';
import type { RawDocument } from '../document/raw-document.ts';
import { placeOf } from '../document/raw-document.ts';
import { planBatch, type BatchPlan } from '../indexer/plan-batch.ts';
import type { QueueReader } from '../queues/document-queues.port.ts';
import type { FailedElement, QueueName } from '../queues/queue-element.ts';
import { documentShard } from '../queues/shard-of-document.ts';
import { expiryOf } from '../registry/judge.ts';
import type { RegistryWrite } from '../registry/document-registry.port.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import { SAMPLE_SHARDS, sampleClient, sampleDocument, sampleWrite } from './document-samples.ts';
import { jsonVasgenCodecs } from './json-vasgen-codecs.ts';
import { openWithClient, type VasgenHarness } from './vasgen-harness.ts';

const client = sampleClient();
const shard = documentShard('a', SAMPLE_SHARDS);
/** Another key of the same shard. */
const neighbour = Array.from({ length: 60 }, (_, n) => `n${n}`).find(
  (pk) => documentShard(pk, SAMPLE_SHARDS) === shard,
)!;
const reader = (queue: QueueName, group = 'indexer'): QueueReader => ({ client, queue, shard, group });
const NONE = { failed: [], parked: [] };

/** The write of a whole document, as the receiver makes it. */
const writeOf = (given: Partial<RawDocument>, row: Parameters<typeof sampleWrite>[0] = {}): RegistryWrite => {
  const document = sampleDocument(given);
  const isAlive = document.event === 'upsert';
  return sampleWrite({
    pk: document.pk,
    place: placeOf(document),
    status: isAlive ? 'alive' : 'tombstone',
    expiresAtMs: document.expiresAtMs,
    body: isAlive ? jsonVasgenCodecs.document.encode(document) : undefined,
    ...row,
  });
};

/** Mistakes that a system of this kind was seen to make in its tables: each is a test, on every store. */
export const vasgenTrapsContract = (backend: string, harness: VasgenHarness): void => {
  describe(`Traps contract: ${backend}`, () => {
    let stores: VasgenStores, other: VasgenStores, close: () => Promise<void>;
    beforeEach(async () => {
      const opened = await openWithClient(harness);
      stores = opened.stores;
      other = opened.again();
      close = opened.close;
      const epochs = [
        { epoch: 1, state: 'serving' as const },
        { epoch: 2, state: 'building' as const },
      ];
      (await stores.epochs.change(client, 1, epochs))._unsafeUnwrap();
    });
    afterEach(() => close());
    const accept = async (...writes: readonly RegistryWrite[]) =>
      (await stores.registry.accept(client, writes))._unsafeUnwrap();
    /** What an indexer of another process would do now. */
    const planned = async (queue: QueueName = 'main'): Promise<BatchPlan> => {
      const elements = (await other.queues.read(reader(queue), 0, 100))._unsafeUnwrap();
      return planBatch(elements, {
        queue,
        topicsOf: () => ['topic'],
        isLiving: () => true,
        documents: jsonVasgenCodecs.document,
        records: jsonVasgenCodecs.indexed,
        nowMs: 1e15,
        attemptsMax: 5,
        retryDelayMs: () => 0,
      });
    };
    const published = async (queue: QueueName = 'main'): Promise<readonly IndexedDocument[]> =>
      (await planned(queue)).records.map(({ value }) =>
        jsonVasgenCodecs.indexed.decode(value)._unsafeUnwrap(),
      );
    const failureOf = (pk: string, epoch: number, queue: QueueName): FailedElement => ({
      pk,
      epoch,
      version: 1,
      timestampMs: 1_000,
      failure: { queue, reason: 'no converter', attempts: 1, retryAtMs: 9_000 },
    });

    test('[V6] an element without its epoch: documents of one key in two epochs are both published', async () => {
      await accept(writeOf({ epoch: 1, version: 3 }), writeOf({ epoch: 2, version: 3 }));
      const places = (await published()).map(({ place }) => place);
      expect(places).toMatchObject([
        { epoch: 1, version: 3, timestampMs: 1_000 },
        { epoch: 2, version: 3, timestampMs: 1_000 },
      ]);
    });
    test('[V5] one row for each key: a building epoch does not hold back the serving one', async () => {
      await accept(writeOf({ epoch: 2, version: 9 }));
      expect(await accept(writeOf({ epoch: 1, version: 4 }))).toEqual([{ kind: 'written' }]);
      expect((await published()).map(({ place: { epoch, version } }) => [epoch, version])).toEqual([
        [2, 9],
        [1, 4],
      ]);
    });
    test('[V7] failures without epoch and timestamp: what failed is found and published when it is tried again', async () => {
      await accept(writeOf({ epoch: 2 }));
      const advance = { from: undefined, to: 1, failed: [failureOf('a', 2, 'main')], parked: [] };
      (await stores.queues.advance(reader('main'), advance))._unsafeUnwrap();
      expect(await published('failed')).toMatchObject([
        { pk: 'a', place: { epoch: 2, version: 1, timestampMs: 1_000 }, document: { pk: 'a' } },
      ]);
    });
    test('[V7] failures under the idx of their queue: those of two queues do not overwrite each other', async () => {
      await accept(writeOf({}), writeOf({ pk: neighbour }, { lane: 'bulk' }));
      for (const [queue, pk] of [
        ['main', 'a'],
        ['bulk', neighbour],
      ] as const) {
        const advance = { from: undefined, to: 1, failed: [failureOf(pk, 1, queue)], parked: [] };
        (await stores.queues.advance(reader(queue), advance))._unsafeUnwrap();
      }
      expect((await published('failed')).map(({ pk }) => pk)).toEqual(['a', neighbour]);
    });
    test('[V6] an offset that is read from the elements: it stands when they are gone, for its own group', async () => {
      for (const version of [1, 2, 3]) await accept(writeOf({ version }));
      const group = reader('main', '7');
      (await stores.queues.advance(group, { from: undefined, to: 2, ...NONE }))._unsafeUnwrap();
      expect((await other.queues.offset(group))._unsafeUnwrap()).toBe(2);
      expect((await other.queues.offset(reader('main')))._unsafeUnwrap()).toBeUndefined();
      (await stores.queues.advance(group, { from: 2, to: 3, ...NONE }))._unsafeUnwrap();
      (await stores.queues.purge(group, Number.MAX_SAFE_INTEGER, 9))._unsafeUnwrap();
      expect((await other.queues.offset(group))._unsafeUnwrap()).toBe(3);
    });
    test('[V6] a comparison with a first NULL: the first offset is written, and only once', async () => {
      const first = { from: undefined, to: 1, ...NONE };
      expect((await stores.queues.advance(reader('main'), first)).isOk()).toBe(true);
      expect((await other.queues.offset(reader('main')))._unsafeUnwrap()).toBe(1);
      expect((await other.queues.advance(reader('main'), first)).isErr()).toBe(true);
    });
    test('[V6] an update that matches no row: the caller hears of it, and its failures are not stored', async () => {
      await accept(writeOf({}));
      const advance = { from: 5, to: 6, failed: [failureOf('a', 1, 'main')], parked: [] };
      const refused = (await stores.queues.advance(reader('main'), advance))._unsafeUnwrapErr();
      expect(refused).toEqual({ kind: 'OffsetMoved', expected: 5, actual: undefined });
      expect(await published('failed')).toEqual([]);
    });
    test('[V7] a tombstone has no document: its deletion is published all the same', async () => {
      await accept(writeOf({}));
      await accept(writeOf({ event: 'delete', version: 2 }));
      const found = await published();
      expect(found).toMatchObject([{ pk: 'a', place: { version: 2 } }]);
      expect(found[0]!.document).toBeUndefined();
    });
    test.each([0, 1, 999, 1_000_000_001, 1_767_225_599_999, 2 ** 31, 2 ** 53 - 1])(
      '[V2] a timestamp that a store rounds: at %i ms element and row still meet',
      async (composedAtMs) => {
        await accept(writeOf({ composedAtMs }));
        expect((await published()).map(({ place }) => place.timestampMs)).toEqual([composedAtMs]);
        const again = await accept(writeOf({ composedAtMs }));
        expect(again).toMatchObject([{ kind: 'kept', stored: { place: { timestampMs: composedAtMs } } }]);
      },
    );
    test('[V5] a ttl of the database: what runs out stays until its deletion is queued, and is remembered', async () => {
      await accept(writeOf({ expiresAtMs: 3_000 }));
      expect((await stores.registry.find(client, 1, ['a']))._unsafeUnwrap()).toHaveLength(1);
      const [due] = (await stores.registry.expired(client, shard, 1e15, 9))._unsafeUnwrap();
      const write = { row: expiryOf(due!, 1e15)!, shard, mayBeFirst: false, erases: false };
      expect(await accept(write)).toEqual([{ kind: 'written' }]);
      const end = (await published()).at(-1)!;
      expect([end.pk, end.place.kind, end.document]).toEqual(['a', 'expiry', undefined]);
      expect(await accept(writeOf({}))).toMatchObject([{ kind: 'kept', stored: { status: 'tombstone' } }]);
    });
  });
};
