import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobHash } from '../../kernel/index.ts';
import type { SegmentRow } from '../archive/archive-segment.ts';
import type { SegmentWindow } from '../archive/archive-manifest.port.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import { sampleClient, sampleWrite } from './document-samples.ts';
import { openWithClient, type VasgenHarness } from './vasgen-harness.ts';

const client = sampleClient();
const hash = (n: number): BlobHash => String(n).padStart(64, '0') as BlobHash;
/** A segment of ten records; its times are its offsets. */
const segment = (n: number, given: Partial<SegmentRow> = {}): SegmentRow => ({
  client,
  log: 'log-1',
  partition: 0,
  fromOffset: n * 10,
  toOffset: n * 10 + 9,
  fromMs: n * 10,
  toMs: n * 10 + 9,
  records: 10,
  bytes: 100,
  hash: hash(n),
  checksum: 'c',
  writtenAtMs: 500,
  scrubbedAtMs: 0,
  ...given,
});
const content = (n: number) => ({ hash: hash(n), checksum: 'other', bytes: 90, records: 9 });

export const archiveManifestContract = (backend: string, harness: VasgenHarness): void => {
  describe(`ArchiveManifest contract: ${backend}`, () => {
    let stores: VasgenStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, close } = await openWithClient(harness)));
    afterEach(() => close());
    const add = (row: SegmentRow) => stores.archive.add(row);
    const added = async (...rows: readonly SegmentRow[]) => {
      for (const row of rows) (await add(row))._unsafeUnwrap();
    };
    const end = async (log = 'log-1', partition = 0) =>
      (await stores.archive.end(client, log, partition))._unsafeUnwrap();
    const list = async (window: Partial<SegmentWindow> = {}, of = client) =>
      (await stores.archive.list(of, { fromMs: 0, toMs: 9_999, limit: 100, ...window }))._unsafeUnwrap();
    const refused = { kind: 'SegmentRefused' };

    test('[V10] a segment is listed as it was added, and the end of its partition moves', async () => {
      expect(await end()).toBeUndefined();
      await added(segment(0), segment(1));
      expect(await list()).toEqual([segment(0), segment(1)]);
      expect([await end(), await end('log-2'), await end('log-1', 1)]).toEqual([20, undefined, undefined]);
      expect(await list({}, sampleClient('others'))).toEqual([]);
      const find = async (row: SegmentRow) => (await stores.archive.find(row))._unsafeUnwrap();
      expect([await find(segment(1)), await find(segment(2))]).toEqual([segment(1), undefined]);
    });
    test.each([
      ['the same one again', segment(1, { hash: hash(9) })],
      [
        'one that begins with the last archived record',
        segment(1, { fromOffset: 19, toOffset: 30, hash: hash(9) }),
      ],
      ['an older one', segment(0, { hash: hash(9) })],
    ])('[V10] a record is archived once: %s is refused', async (_, row) => {
      await added(segment(1));
      expect((await add(row))._unsafeUnwrapErr()).toEqual(refused);
      expect(await list()).toEqual([segment(1)]);
    });
    test('[V10] the next record, a gap, another partition and another incarnation of the topic are fine', async () => {
      await added(segment(1), segment(2), segment(5), segment(0, { partition: 1, hash: hash(6) }));
      await added(segment(0, { log: 'log-2', hash: hash(7) }));
      expect(await list()).toHaveLength(5);
    });
    test.each([
      ['ends where it begins', { fromMs: 20, toMs: 25 }, [2]],
      ['begins where it ends', { fromMs: 9, toMs: 10 }, [0, 1]],
      ['lies inside', { fromMs: 12, toMs: 13 }, [1]],
      ['lies behind all', { fromMs: 40, toMs: 50 }, []],
      ['covers all', { fromMs: 0, toMs: 50 }, [0, 1, 2]],
    ])('[V10] segments of a window of time: %s', async (_, window, expected) => {
      await added(segment(0), segment(1), segment(2));
      expect((await list(window)).map(({ fromOffset }) => fromOffset / 10)).toEqual(expected);
    });
    test('[V10] a listing goes on behind its cursor, in the order of time, log, partition and offset', async () => {
      const same = { toMs: 50, fromMs: 1 };
      await added(
        segment(3, { ...same, log: 'b', partition: 1, hash: hash(30) }),
        segment(1, { ...same, log: 'b', hash: hash(31) }),
        segment(2, { ...same, log: 'b', hash: hash(32) }),
        segment(1, { ...same, log: 'a', partition: 2, hash: hash(33) }),
        segment(9, { toMs: 49, hash: hash(34) }),
      );
      const seen: string[] = [];
      for (let after: SegmentRow | undefined; ;) {
        const [row] = await list({ limit: 1, ...(after ? { after } : {}) });
        if (!row) break;
        seen.push(`${row.toMs} ${row.log} ${row.partition} ${row.fromOffset}`);
        after = row;
      }
      expect(seen).toEqual(['49 log-1 0 90', '50 a 2 10', '50 b 0 10', '50 b 0 20', '50 b 1 30']);
    });

    test('[V16] the bytes of a segment are replaced once, and the old ones are condemned with it', async () => {
      await added(segment(1));
      const { archive } = stores;
      (await archive.replace(segment(1), hash(1), content(8), 700))._unsafeUnwrap();
      expect(await list()).toEqual([{ ...segment(1), ...content(8), scrubbedAtMs: 700 }]);
      expect((await archive.condemned(10))._unsafeUnwrap()).toEqual([hash(1)]);
      expect((await archive.named([hash(1), hash(8)]))._unsafeUnwrap()).toEqual([hash(8)]);
      const again = await archive.replace(segment(1), hash(1), content(9), 800);
      expect(again._unsafeUnwrapErr()).toEqual(refused);
      const missing = await archive.replace(segment(4), hash(4), content(9), 800);
      expect(missing._unsafeUnwrapErr()).toEqual(refused);
      expect(await list()).toMatchObject([{ hash: hash(8), scrubbedAtMs: 700 }]);
    });
    test('[V16] segments are unscrubbed until they are scrubbed at or after a moment', async () => {
      await added(segment(1), segment(2, { client: sampleClient('others') }));
      const unscrubbed = async (beforeMs: number) =>
        (await stores.archive.unscrubbed(client, beforeMs, 10))._unsafeUnwrap().length;
      expect([await unscrubbed(0), await unscrubbed(1)]).toEqual([0, 1]);
      (await stores.archive.scrubbed(segment(1), hash(5), 700))._unsafeUnwrap();
      expect(await unscrubbed(700)).toBe(1);
      (await stores.archive.scrubbed(segment(1), hash(1), 700))._unsafeUnwrap();
      expect([await unscrubbed(700), await unscrubbed(701)]).toEqual([0, 1]);
    });
    test('[V10] condemned bytes are never named again, named ones are never condemned', async () => {
      const { archive } = stores;
      await added(segment(1));
      expect((await archive.condemn(hash(1)))._unsafeUnwrap()).toBe(false);
      expect((await archive.condemn(hash(2)))._unsafeUnwrap()).toBe(true);
      expect((await add(segment(2)))._unsafeUnwrapErr()).toEqual(refused);
      const replaced = await archive.replace(segment(1), hash(1), content(2), 1);
      expect(replaced._unsafeUnwrapErr()).toEqual(refused);
      (await archive.deleted([hash(2)]))._unsafeUnwrap();
      expect((await archive.condemned(10))._unsafeUnwrap()).toEqual([]);
      expect((await add(segment(2)))._unsafeUnwrapErr()).toEqual(refused);
      // A late put may have written its bytes again.
      expect((await archive.condemn(hash(2)))._unsafeUnwrap()).toBe(true);
      expect((await archive.condemned(10))._unsafeUnwrap()).toEqual([hash(2)]);
    });
    test('[V16] an erased document is listed until its erasure is forgotten', async () => {
      const write = (pk: string, writtenAtMs: number) =>
        stores.registry.accept(client, [
          { ...sampleWrite({ pk, status: 'tombstone', writtenAtMs }), erases: true },
        ]);
      for (const [pk, atMs] of [['b', 20], ['a', 10], ['c', 30]] as const) (await write(pk, atMs))._unsafeUnwrap(); // prettier-ignore
      const erasures = async (after?: string) =>
        (
          await stores.archive.erasures(client, { limit: 2, ...(after === undefined ? {} : { after }) })
        )._unsafeUnwrap();
      expect(await erasures()).toEqual([{ pk: 'a', atMs: 10 }, { pk: 'b', atMs: 20 }]); // prettier-ignore
      expect(await erasures('b')).toEqual([{ pk: 'c', atMs: 30 }]);
      const forget = async (beforeMs: number, limit: number) =>
        (await stores.archive.forgetErasures(client, beforeMs, limit))._unsafeUnwrap();
      expect([await forget(10, 9), await forget(21, 1), await forget(21, 9), await forget(21, 9)]).toEqual([
        0, 1, 1, 0,
      ]);
      expect(await erasures()).toEqual([{ pk: 'c', atMs: 30 }]);
    });
  });
};
