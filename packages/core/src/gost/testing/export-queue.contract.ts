import { err, ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OfferChange } from '../offer/offer-change.ts';
import { OFFER_UPDATES, type QueueKey } from '../export/export-queue.port.ts';
import { alteration, publication, type GostHarness, type GostStores } from './gost-stores.ts';
import { sampleOfferId } from './samples.ts';

const one = { shards: 1 };
const hidden = (made: OfferChange) => alteration(made.offer, { kind: 'hide' }, one);

export const exportQueueContract = (backend: string, { open, codecs }: GostHarness): void => {
  describe(`ExportQueue contract: ${backend}`, () => {
    let stores: GostStores, again: () => GostStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, again, close } = await open()));
    afterEach(() => close());
    const commit = async (...changes: OfferChange[]) =>
      (await stores.offers.commit(changes.map((change) => ({ changes: [change] }))))._unsafeUnwrap();
    const read = async (limit = 100) => (await again().queue.read(0, limit))._unsafeUnwrap();

    test('[G5] every change waits in its shard, oldest first, with the view of its version', async () => {
      const made = [2, 1].map((n) => publication(n, { ...one, nowUs: n * 10 }));
      await commit(...made, hidden(made[0]!));
      const rows = await read();
      expect(rows.map(({ topic, key }) => [topic, key])).toEqual(
        [1, 2, 2].map((n) => [OFFER_UPDATES, sampleOfferId(n)]),
      );
      const views = rows.map(({ value }) => codecs.view.decode(value)._unsafeUnwrap());
      expect(views.map(({ version, status }) => [version, status])).toEqual([
        [1, 'active'],
        [1, 'active'],
        [2, 'hidden'],
      ]);
      expect(await read(2)).toEqual(rows.slice(0, 2));
      expect(await stores.queue.read(1, 10)).toEqual(ok([]));
    });
    test('[G5] a change with an old time is read first, before the next change of its offer', async () => {
      await commit(publication(1, { ...one, nowUs: 9e15 }));
      await stores.queue.delete((await stores.queue.read(0, 10))._unsafeUnwrap());
      const old = publication(2, { ...one, nowUs: 5 });
      await commit(old, alteration(old.offer, { kind: 'hide' }, { ...one, nowUs: 8e15 }));
      expect((await stores.queue.read(0, 10))._unsafeUnwrap().map(({ atUs }) => atUs)).toEqual([5, 8e15]);
    });
    test('[G5] a read is as of one moment: it never returns a change without the earlier changes of that offer', async () => {
      let writes = true;
      const writing = (async () => {
        for (let n = 1; n <= 30; n++) {
          const made = publication(n, { ...one, nowUs: 100 - n });
          await commit(made);
          await commit(alteration(made.offer, { kind: 'hide' }, { ...one, nowUs: 1_000 + n }));
        }
        writes = false;
      })();
      const look = async (): Promise<void> => {
        const seen = new Map<string, number>();
        for (const { key, value } of await read()) {
          const { version } = codecs.view.decode(value)._unsafeUnwrap();
          expect(version).toBe((seen.get(key) ?? 0) + 1);
          seen.set(key, version);
        }
      };
      do {
        await Promise.all([look(), look(), look(), look()]);
      } while (writes);
      await writing;
      expect(await read()).toHaveLength(60);
    });
    test('[G5] only the named keys are deleted: an older record that was committed later survives', async () => {
      await commit(publication(1, { ...one, nowUs: 50 }));
      const seen = await read();
      await commit(publication(2, { ...one, nowUs: 40 }), publication(3, { ...one, nowUs: 50 }));
      expect(await stores.queue.delete(seen)).toEqual(ok(undefined));
      expect(await stores.queue.delete(seen)).toEqual(ok(undefined));
      expect((await read()).map(({ key }) => key)).toEqual([sampleOfferId(2), sampleOfferId(3)]);
      expect(await stores.queue.delete([])).toEqual(ok(undefined));
    });
    test('[X14] a record is deleted by its full key: each part of the key is compared', async () => {
      const made = publication(1, { ...one, nowUs: 50, content: { photos: ['https://photos.test/1.jpg'] } });
      await commit(made, publication(2, { ...one, nowUs: 50 }), publication(3, { ...one, nowUs: 60 }));
      const all = await read();
      expect(all).toHaveLength(4);
      const [first] = all;
      const near: QueueKey[] = [
        { ...first!, shard: 1 },
        { ...first!, atUs: 51 },
        { ...first!, topic: `${first!.topic}-2` },
        { ...first!, key: sampleOfferId(9) },
        { ...first!, id: `${first!.id}x` },
      ];
      expect(await stores.queue.delete(near)).toEqual(ok(undefined));
      expect(await read()).toEqual(all);
      expect(await stores.queue.delete([first!])).toEqual(ok(undefined));
      expect(await read()).toEqual(all.slice(1));
    });
    test('[X2] a parked record leaves the queue and is kept with its reason', async () => {
      await commit(publication(1, { ...one, nowUs: 1 }), publication(2, { ...one, nowUs: 2 }));
      const [first, second] = await read();
      expect(await stores.queue.park([first!], 'too large')).toEqual(ok(undefined));
      expect(await stores.queue.park([first!], 'too large')).toEqual(ok(undefined));
      expect(await stores.queue.park([], 'nothing')).toEqual(ok(undefined));
      expect(await read()).toEqual([second]);
      const parked = (await again().queue.parked(0, 10))._unsafeUnwrap();
      expect(parked).toEqual([
        {
          shard: 0,
          atUs: first!.atUs,
          topic: first!.topic,
          key: first!.key,
          id: first!.id,
          reason: 'too large',
          bytes: first!.value.length,
        },
      ]);
      expect(await stores.queue.parked(1, 10)).toEqual(ok([]));
    });
    test('[X2] parked records are listed oldest first, all or those of a key, at most as many as asked', async () => {
      const made = [3, 1, 2].map((n) => publication(n, { ...one, nowUs: n }));
      await commit(...made, alteration(made[1]!.offer, { kind: 'hide' }, { ...one, nowUs: 9 }));
      await stores.queue.park(await read(), 'too large');
      const keysOf = async (limit: number, key?: string) =>
        (await again().queue.parked(0, limit, key))._unsafeUnwrap().map((found) => [found.key, found.atUs]);
      const [first, second, third] = [1, 2, 3].map((n) => sampleOfferId(n));
      expect(await keysOf(10)).toEqual([
        [first, 1],
        [second, 2],
        [third, 3],
        [first, 9],
      ]);
      expect(await keysOf(2)).toEqual([
        [first, 1],
        [second, 2],
      ]);
      expect(await keysOf(10, first)).toEqual([
        [first, 1],
        [first, 9],
      ]);
      expect(await keysOf(1, third)).toEqual([[third, 3]]);
      expect(await keysOf(10, sampleOfferId(9))).toEqual([]);
    });
    test('[X2] an unparked record is in the queue again as it was, and each part of its key is compared', async () => {
      await commit(publication(1, { ...one, nowUs: 1 }), publication(2, { ...one, nowUs: 2 }));
      const all = await read();
      await stores.queue.park(all, 'too large');
      const [first] = all;
      const near: QueueKey[] = [
        { ...first!, shard: 1 },
        { ...first!, atUs: 2 },
        { ...first!, topic: `${first!.topic}-2` },
        { ...first!, key: sampleOfferId(9) },
        { ...first!, id: `${first!.id}x` },
      ];
      for (const other of near) expect(await stores.queue.unpark(other)).toEqual(ok(false));
      expect(await read()).toEqual([]);
      expect(await stores.queue.unpark(first!)).toEqual(ok(true));
      expect(await again().queue.unpark(first!)).toEqual(ok(false));
      expect(await read()).toEqual([first]);
      expect((await stores.queue.parked(0, 10))._unsafeUnwrap().map(({ key }) => key)).toEqual([all[1]!.key]);
    });
    test('[G5] records for other topics leave with the same commit', async () => {
      const made = publication(1, { ...one, content: { photos: ['https://photos.test/1.jpg'] } });
      await commit(made);
      const [view, request] = await read();
      expect([view, request].map((record) => [record!.topic, record!.key, record!.atUs])).toEqual(
        [OFFER_UPDATES, 'photo-requests'].map((topic) => [topic, made.offer.id, made.offer.updatedAtUs]),
      );
      expect(codecs.photoRequest.decode(request!.value)).toEqual(
        ok({
          offerId: made.offer.id,
          urls: made.offer.content.photos,
          released: [],
          atUs: made.offer.updatedAtUs,
        }),
      );
      await stores.queue.delete([request!]);
      expect((await read()).map(({ topic }) => topic)).toEqual([OFFER_UPDATES]);
    });
    test('[G12] the number of shards is settled by the first start; another one is refused', async () => {
      expect(await stores.queue.settleShards(4)).toEqual(ok(undefined));
      expect(await again().queue.settleShards(4)).toEqual(ok(undefined));
      expect(await again().queue.settleShards(8)).toEqual(
        err({ kind: 'ShardsMismatch', set: 'gost-export', shards: 4, configured: 8 }),
      );
    });
  });
};
