import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OfferChange } from '../offer/offer-change.ts';
import { ID_HASHES, idHashOf, type ScanPlace, type ScanRange } from '../scan/offer-scan.port.ts';
import type { OfferId } from '../offer/offer-id.ts';
import { alteration, publication, type GostHarness, type GostStores } from './gost-stores.ts';
import { sampleSeller } from './samples.ts';

const everything: ScanRange = { from: 0, to: ID_HASHES };

export const offerScanContract = (backend: string, { open }: GostHarness): void => {
  describe(`OfferScan contract: ${backend}`, () => {
    let stores: GostStores, again: () => GostStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, again, close } = await open()));
    afterEach(() => close());
    const commit = async (...changes: OfferChange[]) => {
      (await stores.offers.commit([{ changes }]))._unsafeUnwrap().forEach((one) => one._unsafeUnwrap());
    };
    const scanAll = async (
      range: ScanRange,
      limit: number,
      between: () => Promise<void> = async () => {},
    ) => {
      const seen: string[] = [];
      for (let after = range.after; ;) {
        const page = (
          await again().scan.scan({ ...range, ...(after ? { after } : {}) }, limit)
        )._unsafeUnwrap();
        seen.push(...page.offers.map(({ id }) => id));
        after = page.last;
        if (!after) return seen;
        await between();
      }
    };
    const made = Array.from({ length: 25 }, (_, n) => publication(n + 1));
    const byHash = made
      .map(({ offer: { id } }): ScanPlace => ({ hash: idHashOf(id), offerId: id }))
      .sort((a, b) => a.hash - b.hash);

    test('[G15] a scan returns every offer that is not removed once, in the order of hashes, in its newest version', async () => {
      await commit(...made);
      const gone = made[3]!.offer;
      const hidden = made[4]!.offer;
      await commit(alteration(gone, { kind: 'remove' }), alteration(hidden, { kind: 'hide' }));
      const expected = byHash.map(({ offerId }) => offerId).filter((id) => id !== gone.id);
      expect(await scanAll(everything, 4)).toEqual(expected);
      const all = (await stores.scan.scan(everything, 1000))._unsafeUnwrap();
      expect(all.offers.find(({ id }) => id === hidden.id)).toMatchObject({
        lifecycle: 'hidden',
        version: 2,
      });
      expect(all.last).toBeUndefined();
    });
    test('[G15] ranges divide the offers: none twice, none left out', async () => {
      await commit(...made);
      const cuts = [0, ID_HASHES / 4, ID_HASHES / 2, ID_HASHES];
      const parts = await Promise.all([0, 1, 2].map((i) => scanAll({ from: cuts[i]!, to: cuts[i + 1]! }, 3)));
      expect(parts.flat()).toEqual(byHash.map(({ offerId }) => offerId));
      expect(parts.every((part) => part.length > 0)).toBe(true);
      const only = byHash[7]!;
      expect(await scanAll({ from: only.hash, to: only.hash + 1 }, 3)).toEqual([only.offerId]);
    });
    test('[G15] an offer that exists during the whole scan is returned once; a scan can continue after any place', async () => {
      await commit(...made);
      let n = 100;
      const seen = await scanAll(everything, 5, () => commit(publication(n++)));
      const lasting = new Set<string>(made.map(({ offer: { id } }) => id));
      expect(seen.filter((id) => lasting.has(id))).toEqual(byHash.map(({ offerId }) => offerId));
      expect(new Set(seen).size).toBe(seen.length);
      const rest = await scanAll({ ...everything, after: byHash[20]! }, 100);
      expect(rest.filter((id) => lasting.has(id))).toEqual(byHash.slice(21).map(({ offerId }) => offerId));
    });
    test('[G15] a page of only removed offers still says where the next page begins', async () => {
      await commit(...made.slice(0, 6));
      await commit(...made.slice(0, 6).map(({ offer }) => alteration(offer, { kind: 'remove' })));
      const page = (await stores.scan.scan(everything, 2))._unsafeUnwrap();
      expect(page.offers).toEqual([]);
      expect(page.last).toBeDefined();
      expect(await scanAll(everything, 2)).toEqual([]);
    });
    test('[G16] all offers of a seller are found, removed ones too, and no others', async () => {
      await commit(...made.slice(0, 7), publication(50, { seller: sampleSeller(2) }));
      await commit(alteration(made[2]!.offer, { kind: 'remove' }));
      const seen: string[] = [];
      for (let after: OfferId | undefined; ;) {
        const page = { limit: 3, ...(after ? { after } : {}) };
        const offers = (await stores.scan.ofSeller(sampleSeller(), page))._unsafeUnwrap();
        seen.push(...offers.map(({ id }) => id));
        after = offers.at(-1)?.id;
        if (!after) break;
      }
      expect(seen).toEqual(
        made
          .slice(0, 7)
          .map(({ offer: { id } }) => id as string)
          .sort(),
      );
    });
  });
};
