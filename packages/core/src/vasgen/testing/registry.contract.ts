import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { documentShard, pkHashOf } from '../queues/shard-of-document.ts';
import { expiryOf } from '../registry/judge.ts';
import {
  REGISTRY_ROWS_MAX,
  type RegistryWrite,
  type ScanCursor,
} from '../registry/document-registry.port.ts';
import type { RegistryRow } from '../registry/registry-row.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import { SAMPLE_SHARDS, sampleClient, sampleRow, sampleWrite } from './document-samples.ts';
import { openWithClient, type VasgenHarness } from './vasgen-harness.ts';

const client = sampleClient();
const shard = documentShard('a', SAMPLE_SHARDS);
const headOf = ({ body: _, ...head }: RegistryRow) => head;

export const registryContract = (backend: string, harness: VasgenHarness): void => {
  describe(`DocumentRegistry contract: ${backend}`, () => {
    let stores: VasgenStores, other: VasgenStores, close: () => Promise<void>;
    beforeEach(async () => {
      const opened = await openWithClient(harness);
      stores = opened.stores;
      other = opened.again();
      close = opened.close;
    });
    afterEach(() => close());
    const accept = async (...writes: readonly RegistryWrite[]) =>
      (await stores.registry.accept(client, writes))._unsafeUnwrap();
    const find = async (pk = 'a', epoch = 1) =>
      (await stores.registry.find(client, epoch, [pk]))._unsafeUnwrap()[0];
    const elements = async (queue: 'main' | 'bulk', pk = 'a') =>
      (
        await stores.queues.read({ client, queue, shard: documentShard(pk, SAMPLE_SHARDS) }, 0, 100)
      )._unsafeUnwrap();
    const twoEpochs = async () =>
      (
        await stores.epochs.change(client, 1, [
          { epoch: 1, state: 'serving' },
          { epoch: 2, state: 'building' },
        ])
      )._unsafeUnwrap();

    test('[V3] row and queue element are written together, and read back as they were', async () => {
      const write = sampleWrite({
        pk: 'a',
        expiresAtMs: 77_000,
        lane: 'bulk',
        place: { version: 2 ** 53 - 1, timestampMs: 2 ** 53 - 1 },
        body: Uint8Array.from([0, 255, 1]),
      });
      expect(await accept(write)).toEqual([{ kind: 'written' }]);
      expect(await find()).toEqual(write.row);
      expect(await elements('bulk')).toEqual([
        {
          element: {
            idx: 1,
            pk: 'a',
            epoch: 1,
            version: 2 ** 53 - 1,
            timestampMs: 2 ** 53 - 1,
            failure: undefined,
          },
          row: write.row,
        },
      ]);
      expect(await elements('main')).toEqual([]);
    });
    test('[V5] a tombstone has no body', async () => {
      const write = sampleWrite({ status: 'tombstone' });
      await accept(write);
      expect(await find()).toEqual(write.row);
      expect((await find())!.body).toBeUndefined();
    });

    const base = { version: 5, timestampMs: 50, kind: 'document' } as const;
    test.each([
      ['lower version, later timestamp', { version: 4, timestampMs: 99 }, 'kept'],
      ['same version, lower timestamp', { timestampMs: 49 }, 'kept'],
      ['same place', {}, 'kept'],
      ['an expiry of the same triple', { kind: 'expiry' }, 'written'],
      ['an expiry of an older triple', { timestampMs: 49, kind: 'expiry' }, 'kept'],
      ['same version, higher timestamp', { timestampMs: 51 }, 'written'],
      ['higher version, lower timestamp', { version: 6, timestampMs: 1 }, 'written'],
    ] as const)('[V2] over version 5, timestamp 50: %s is %s', async (_what, place, kind) => {
      const first = sampleWrite({ place: base });
      const second = sampleWrite({ place: { ...base, ...place }, contentHash: 'fedcba9876543210' });
      await accept(first);
      const [outcome] = await accept(second);
      expect(outcome).toEqual(
        kind === 'written' ? { kind } : { kind, stored: headOf(first.row), raised: false },
      );
      expect(await find()).toEqual(kind === 'written' ? second.row : first.row);
      expect(await elements('main')).toHaveLength(kind === 'written' ? 2 : 1);
    });
    test('[V2] a document over its own expiry is kept out', async () => {
      const expiry = sampleWrite({ place: { kind: 'expiry' }, status: 'tombstone' });
      await accept(expiry);
      expect(await accept(sampleWrite())).toEqual([
        { kind: 'kept', stored: headOf(expiry.row), raised: false },
      ]);
    });
    test('[V5] epochs of one document do not affect each other', async () => {
      await twoEpochs();
      const newer = sampleWrite({ place: { epoch: 2, version: 9 } });
      const older = sampleWrite({ place: { epoch: 1, version: 3 } });
      await accept(newer);
      expect(await accept(older)).toEqual([{ kind: 'written' }]);
      expect(await find('a', 1)).toEqual(older.row);
      expect(await find('a', 2)).toEqual(newer.row);
    });
    test('[V5] a document of an epoch that is not living is not written, the others of the call are', async () => {
      const outcomes = await accept(
        sampleWrite({ place: { epoch: 2 } }),
        sampleWrite(),
        sampleWrite({ place: { epoch: 0 } }),
      );
      expect(outcomes.map(({ kind }) => kind)).toEqual(['unknownEpoch', 'written', 'unknownEpoch']);
      expect(await find('a', 2)).toBeUndefined();
    });
    test('[V5] an epoch that is finished takes no documents from then on', async () => {
      await twoEpochs();
      await accept(sampleWrite({ place: { epoch: 2 } }));
      (await other.epochs.change(client, 2, [{ epoch: 1, state: 'serving' }]))._unsafeUnwrap();
      expect(await accept(sampleWrite({ place: { epoch: 2, version: 2 } }))).toEqual([
        { kind: 'unknownEpoch' },
      ]);
    });
    test('[V5] a write that may not be the first needs a row', async () => {
      const late = sampleWrite({ place: { version: 2 } }, { mayBeFirst: false });
      expect(await accept(late)).toEqual([{ kind: 'absent' }]);
      expect(await find()).toBeUndefined();
      expect(await elements('main')).toEqual([]);
      await accept(sampleWrite());
      expect(await accept(late)).toEqual([{ kind: 'written' }]);
    });
    test('[V13] clients do not see each other’s documents', async () => {
      const second = sampleClient('others');
      (await stores.epochs.ensureClient(second, SAMPLE_SHARDS))._unsafeUnwrap();
      await accept(sampleWrite());
      expect((await stores.registry.find(second, 1, ['a']))._unsafeUnwrap()).toEqual([]);
      expect(
        (await stores.queues.read({ client: second, queue: 'main', shard }, 0, 9))._unsafeUnwrap(),
      ).toEqual([]);
    });

    test.each([
      ['a live document at the same place', { lane: 'main' }, {}, true],
      ['a live document at a lower timestamp', { lane: 'main' }, { timestampMs: 49 }, true],
      ['a live document of a lower version', { lane: 'main' }, { version: 4 }, false],
      ['a bulk document at the same place', { lane: 'bulk' }, {}, false],
    ] as const)('[V7] a row that waits in bulk, and %s: raised %#', async (_what, given, place, raised) => {
      const waiting = sampleWrite({ place: base, lane: 'bulk', expiresAtMs: 5_000 });
      await accept(waiting);
      const again = sampleWrite({ ...given, place: { ...base, ...place } });
      expect(await accept(again)).toEqual([{ kind: 'kept', stored: headOf(waiting.row), raised }]);
      expect(await elements('bulk')).toHaveLength(1);
      expect(await elements('main')).toMatchObject(
        raised ? [{ element: { version: 5, timestampMs: 50 } }] : [],
      );
      expect((await find())!.lane).toBe(raised ? 'main' : 'bulk');
      // It is raised once, and its ttl is still known.
      expect((await accept(again))[0]).toMatchObject({ kind: 'kept', raised: false });
      expect(
        (await stores.registry.expired(client, shard, 5_000, 9))._unsafeUnwrap().map(({ pk }) => pk),
      ).toEqual(['a']);
    });

    describe('growth of the schema', () => {
      const to = { number: 1, fields: { title: { kind: 'text' as const } } };
      const schemaNumber = async () =>
        (await stores.epochs.load(client))._unsafeUnwrap().epochs[0]!.schema.number;
      test('[V4] is stored with the document that needs it', async () => {
        expect(
          (await stores.registry.accept(client, [sampleWrite()], { epoch: 1, to }))._unsafeUnwrap(),
        ).toEqual([{ kind: 'written' }]);
        expect((await stores.epochs.load(client))._unsafeUnwrap().epochs[0]!.schema).toEqual(to);
      });
      test('[V4] a document that is not written grows nothing', async () => {
        await accept(sampleWrite({ place: { version: 9 } }));
        expect(
          (await stores.registry.accept(client, [sampleWrite()], { epoch: 1, to }))._unsafeUnwrap(),
        ).toMatchObject([{ kind: 'kept' }]);
        expect(await schemaNumber()).toBe(0);
      });
      test('[V4] of receivers that add fields at once one wins, and nothing of the others is written', async () => {
        const outcomes = await Promise.all(
          ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((pk, i) =>
            (i % 2 ? stores : other).registry.accept(client, [sampleWrite({ pk })], { epoch: 1, to }),
          ),
        );
        const won = outcomes.filter((outcome) => outcome.isOk());
        expect(won).toHaveLength(1);
        for (const outcome of outcomes)
          if (outcome.isErr()) expect(outcome.error).toEqual({ kind: 'SchemaMoved', epoch: 1 });
        const found = await stores.registry.find(client, 1, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
        expect(found._unsafeUnwrap()).toHaveLength(1);
        expect(await schemaNumber()).toBe(1);
      });
    });

    test('[V2] whatever the order of 8 racing writers, the freshest row stays', async () => {
      const versions = Array.from({ length: 40 }, (_, i) => (i * 7) % 40);
      const outcomes = await Promise.all(
        versions.map((version, i) =>
          (i % 2 ? stores : other).registry.accept(client, [sampleWrite({ place: { version } })]),
        ),
      );
      expect(outcomes.every((outcome) => outcome.isOk())).toBe(true);
      expect((await find())!.place.version).toBe(39);
      const indexes = (await elements('main')).map(({ element }) => element.idx);
      expect(indexes).toEqual(indexes.map((_, i) => i + 1));
    });
    test('[V3] calls over all shards at once do not block each other for good', async () => {
      const call = (n: number) =>
        (n % 2 ? stores : other).registry.accept(
          client,
          Array.from({ length: 20 }, (_, i) =>
            sampleWrite({ pk: `p${(i * (n % 2 ? 7 : 13) + n) % 20}`, place: { version: n } }),
          ),
        );
      const outcomes = await Promise.all(Array.from({ length: 16 }, (_, n) => call(n)));
      expect(outcomes.filter((outcome) => outcome.isErr())).toEqual([]);
      const pks = Array.from({ length: 20 }, (_, i) => `p${i}`);
      const rows = (await stores.registry.find(client, 1, pks))._unsafeUnwrap();
      expect(rows.map(({ place }) => place.version)).toEqual(Array(20).fill(15));
    });

    test('[V8] a scan returns every row of the epoch once, in the order of hashes', async () => {
      await twoEpochs();
      const pks = Array.from({ length: 25 }, (_, i) => `p${i}`);
      await accept(...pks.map((pk) => sampleWrite({ pk, status: pk === 'p3' ? 'tombstone' : 'alive' })));
      await accept(sampleWrite({ pk: 'p1', place: { epoch: 2 } }));
      const seen: RegistryRow[] = [];
      for (let after: ScanCursor | undefined; ;) {
        const page = await stores.registry.scan(client, 1, { limit: 10, ...(after ? { after } : {}) });
        const { rows, next } = page._unsafeUnwrap();
        expect(rows.length).toBeLessThanOrEqual(10);
        seen.push(...rows);
        if (!next) break;
        after = next;
      }
      const expected = pks.toSorted((a, b) => pkHashOf(a) - pkHashOf(b));
      expect(seen.map(({ pk }) => pk)).toEqual(expected);
      expect(seen.find(({ pk }) => pk === 'p3')).toEqual(sampleRow({ pk: 'p3', status: 'tombstone' }));
    });
    test('[V8] a page of a scan is bounded by bytes too', async () => {
      const body = new Uint8Array(300_000);
      for (const pk of ['a', 'b', 'c', 'd', 'e']) await accept(sampleWrite({ pk, body }));
      const { rows, next } = (await stores.registry.scan(client, 1, { limit: 10 }))._unsafeUnwrap();
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.length).toBeLessThan(5);
      expect(next).toEqual({ hash: pkHashOf(rows.at(-1)!.pk), pk: rows.at(-1)!.pk });
    });

    describe('ttl', () => {
      const expired = async (nowMs: number, limit = 9) =>
        (await stores.registry.expired(client, shard, nowMs, limit))._unsafeUnwrap();
      test('[V5] a row is due when its ttl is reached, and not before', async () => {
        const write = sampleWrite({ expiresAtMs: 5_000 });
        await accept(write);
        expect(await expired(4_999)).toEqual([]);
        expect(await expired(5_000)).toEqual([headOf(write.row)]);
        expect(
          (await stores.registry.expired(client, (shard + 1) % SAMPLE_SHARDS, 5_000, 9))._unsafeUnwrap(),
        ).toEqual([]);
      });
      test('[V5] a prolongation moves it, a document without a ttl ends it, an expiry ends it', async () => {
        await accept(sampleWrite({ expiresAtMs: 5_000 }));
        await accept(sampleWrite({ expiresAtMs: 9_000, place: { version: 2 } }));
        expect(await expired(8_999)).toEqual([]);
        const [due] = await expired(9_000);
        const expiry = expiryOf(due!, 9_000)!;
        expect(await accept({ row: expiry, shard, mayBeFirst: false, erases: false })).toEqual([
          { kind: 'written' },
        ]);
        expect(await expired(99_000)).toEqual([]);
        expect(await find()).toEqual(expiry);
        await accept(sampleWrite({ expiresAtMs: 9_500, place: { version: 3 } }));
        await accept(sampleWrite({ place: { version: 4 } }));
        expect(await expired(99_000)).toEqual([]);
      });
      test('[V5] an expiry that was decided before a prolongation is kept out', async () => {
        await accept(sampleWrite({ expiresAtMs: 5_000 }));
        const expiry = expiryOf((await expired(5_000))[0]!, 5_000)!;
        const longer = sampleWrite({ expiresAtMs: 9_000, place: { timestampMs: 1_001 } });
        await accept(longer);
        expect(await accept({ row: expiry, shard, mayBeFirst: false, erases: false })).toMatchObject([
          { kind: 'kept' },
        ]);
        expect(await find()).toEqual(longer.row);
      });
      test('[V5] the oldest come first, at most so many', async () => {
        const inShard = Array.from({ length: 60 }, (_, i) => `q${i}`)
          .filter((pk) => documentShard(pk, SAMPLE_SHARDS) === shard)
          .slice(0, 5);
        await accept(...inShard.map((pk, i) => sampleWrite({ pk, expiresAtMs: 9_000 - i })));
        expect((await expired(10_000, 3)).map(({ pk }) => pk)).toEqual(inShard.toReversed().slice(0, 3));
      });
    });

    describe('tombstones', () => {
      const forget = async (beforeMs: number, limit = 9) =>
        (await stores.registry.forgetTombstones(client, shard, beforeMs, limit))._unsafeUnwrap();
      test('[V5] are forgotten by when they were written, never by their place', async () => {
        await accept(
          sampleWrite({ status: 'tombstone', writtenAtMs: 7_000, place: { timestampMs: 1, kind: 'expiry' } }),
        );
        expect(await forget(7_000)).toBe(0);
        expect(await find()).toBeDefined();
        expect(await forget(7_001)).toBe(1);
        expect(await find()).toBeUndefined();
        expect(await forget(99_000)).toBe(0);
      });
      test('[V5] a document that came back is not forgotten', async () => {
        await accept(sampleWrite({ status: 'tombstone', writtenAtMs: 1 }));
        await accept(sampleWrite({ place: { version: 2 }, writtenAtMs: 2 }));
        expect(await forget(99_000)).toBe(0);
        expect(await find()).toBeDefined();
      });
      test('[V5] at most so many go at once', async () => {
        const inShard = Array.from({ length: 60 }, (_, i) => `q${i}`)
          .filter((pk) => documentShard(pk, SAMPLE_SHARDS) === shard)
          .slice(0, 5);
        await accept(...inShard.map((pk) => sampleWrite({ pk, status: 'tombstone' })));
        expect([await forget(99_000, 3), await forget(99_000, 3), await forget(99_000, 3)]).toEqual([
          3, 2, 0,
        ]);
      });
    });

    test('[V11] rows of a living epoch are not dropped, those of a finished one are, with their ttls', async () => {
      await twoEpochs();
      await accept(sampleWrite(), sampleWrite({ place: { epoch: 2 }, expiresAtMs: 5_000 }));
      await accept(sampleWrite({ pk: 'b', place: { epoch: 2 }, status: 'tombstone' }));
      expect((await stores.registry.dropRows(client, 2, 9))._unsafeUnwrap()).toBe(0);
      (await stores.epochs.change(client, 2, [{ epoch: 1, state: 'serving' }]))._unsafeUnwrap();
      expect((await stores.registry.dropRows(client, 2, 1))._unsafeUnwrap()).toBe(1);
      expect((await stores.registry.dropRows(client, 2, 9))._unsafeUnwrap()).toBe(1);
      expect((await stores.registry.dropRows(client, 2, 9))._unsafeUnwrap()).toBe(0);
      expect((await stores.registry.expired(client, shard, 9_000, 9))._unsafeUnwrap()).toEqual([]);
      expect(await find('a', 1)).toBeDefined();
      expect(await find('a', 2)).toBeUndefined();
    });
    test('[V3] a full call is one commit', async () => {
      const writes = Array.from({ length: REGISTRY_ROWS_MAX / 2 }, (_, i) => sampleWrite({ pk: `p${i}` }));
      expect((await accept(...writes)).every(({ kind }) => kind === 'written')).toBe(true);
      const counts = await Promise.all(
        Array.from(
          { length: SAMPLE_SHARDS },
          async (_, at) => (await stores.queues.heads(client, 'main'))._unsafeUnwrap()[at]!,
        ),
      );
      expect(counts.reduce((sum, n) => sum + n, 0)).toBe(writes.length);
    });
  });
};
