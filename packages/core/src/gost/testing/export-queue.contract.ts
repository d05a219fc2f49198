import { err, ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OfferChange } from '../domain/offer-change.ts';
import { OFFER_UPDATES } from '../ports/export-queue.port.ts';
import { alteration, publication, type GostHarness, type GostStores } from './gost-stores.ts';
import { jsonGostCodecs } from './json-codecs.ts';
import { sampleOfferId } from './samples.ts';

const one = { shards: 1 };
const hidden = (made: OfferChange) => alteration(made.offer, { kind: 'hide' }, one);

export const exportQueueContract = (backend: string, { open }: GostHarness): void => {
  describe(`ExportQueue contract: ${backend}`, () => {
    let stores: GostStores, again: () => GostStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, again, close } = await open()));
    afterEach(() => close());
    const commit = async (...changes: OfferChange[]) =>
      (await stores.offers.commit(changes.map((change) => ({ changes: [change] }))))._unsafeUnwrap();
    const read = async (limit = 100) => (await again().queue.read(0, limit))._unsafeUnwrap();

    test('[G5] every change waits in its shard, oldest first, as it left the offer', async () => {
      const made = [2, 1].map((n) => publication(n, { ...one, nowUs: n * 10 }));
      await commit(...made, hidden(made[0]!));
      const rows = await read();
      expect(rows.map(({ topic, key }) => [topic, key])).toEqual(
        [1, 2, 2].map((n) => [OFFER_UPDATES, sampleOfferId(n)]),
      );
      const views = rows.map(({ value }) => jsonGostCodecs.view.decode(value)._unsafeUnwrap());
      expect(views.map(({ version, status }) => [version, status])).toEqual([
        [1, 'active'],
        [1, 'active'],
        [2, 'hidden'],
      ]);
      expect(await read(2)).toEqual(rows.slice(0, 2));
      expect(await stores.queue.read(1, 10)).toEqual(ok([]));
    });
    test('[G5] a change with a time of long ago is read first all the same, before the next of its offer', async () => {
      await commit(publication(1, { ...one, nowUs: 9e15 }));
      await stores.queue.delete((await stores.queue.read(0, 10))._unsafeUnwrap());
      const old = publication(2, { ...one, nowUs: 5 });
      await commit(old, alteration(old.offer, { kind: 'hide' }, { ...one, nowUs: 8e15 }));
      expect((await stores.queue.read(0, 10))._unsafeUnwrap().map(({ atUs }) => atUs)).toEqual([5, 8e15]);
    });
    test('[G5] a read is as of one moment: with a change comes the one before it, however far apart their times are', async () => {
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
          const { version } = jsonGostCodecs.view.decode(value)._unsafeUnwrap();
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
    test('[G5] exactly the keys named are deleted: an older record that came later survives', async () => {
      await commit(publication(1, { ...one, nowUs: 50 }));
      const seen = await read();
      await commit(publication(2, { ...one, nowUs: 40 }), publication(3, { ...one, nowUs: 50 }));
      expect(await stores.queue.delete(seen)).toEqual(ok(undefined));
      expect(await stores.queue.delete(seen)).toEqual(ok(undefined));
      expect((await read()).map(({ key }) => key)).toEqual([sampleOfferId(2), sampleOfferId(3)]);
      expect(await stores.queue.delete([])).toEqual(ok(undefined));
    });
    test('[G5] records for other topics leave with the same commit', async () => {
      const made = publication(1, { ...one, content: { photos: ['https://photos.test/1.jpg'] } });
      await commit(made);
      const [view, request] = await read();
      expect([view, request].map((record) => [record!.topic, record!.key, record!.atUs])).toEqual(
        [OFFER_UPDATES, 'photo-requests'].map((topic) => [topic, made.offer.id, made.offer.updatedAtUs]),
      );
      expect(jsonGostCodecs.photoRequest.decode(request!.value)).toEqual(
        ok({
          ...{ offerId: made.offer.id, urls: made.offer.content.photos, released: [] },
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
