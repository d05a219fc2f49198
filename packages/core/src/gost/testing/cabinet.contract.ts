import { ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OfferChange } from '../offer/offer-change.ts';
import type { PresetList, PresetPlace } from '../cabinet/cabinet.port.ts';
import { alteration, publication, type GostHarness, type GostStores } from './gost-stores.ts';
import { sampleContent, sampleSeller } from './samples.ts';

const seller = sampleSeller();
const all: PresetList = { seller, preset: 'all' };
const none = { all: 0, active: 0, inactive: 0, banned: 0, sold: 0 };

type Opened = Awaited<ReturnType<GostHarness['open']>>;

export const cabinetContract = (backend: string, { open }: GostHarness): void => {
  describe(`Cabinet contract: ${backend}`, () => {
    let stores: GostStores,
      corruptCount: Opened['corruptCount'],
      corruptTotal: Opened['corruptTotal'],
      close: () => Promise<void>;
    beforeEach(async () => ({ stores, corruptCount, corruptTotal, close } = await open()));
    afterEach(() => close());
    const commit = async (...changes: OfferChange[]) =>
      (await stores.offers.commit([{ changes }]))._unsafeUnwrap().map((outcome) => outcome._unsafeUnwrap());
    const publish = async (...ns: number[]) => {
      const made = ns.map((n) => publication(n, { nowUs: n * 10 }));
      await commit(...made);
      return made;
    };
    const counts = async () => (await stores.cabinet.counts(seller))._unsafeUnwrap();
    const repairStep = async (limit: number) => (await stores.cabinet.repairStep(all, limit))._unsafeUnwrap();

    test('[G6] pages go newest first, each after the last line of the one before', async () => {
      const made = await publish(1, 2, 3, 4, 5);
      await commit(publication(6, { nowUs: 30 }), publication(7, { seller: sampleSeller(2) }));
      const seen: PresetPlace[] = [];
      for (let last: PresetPlace | undefined; ;) {
        const page = await stores.cabinet.page({ ...all, limit: 2, ...(last ? { after: last } : {}) });
        seen.push(...page._unsafeUnwrap());
        last = page._unsafeUnwrap().at(-1);
        if (!last) break;
      }
      const expected = [...made, publication(6, { nowUs: 30 })]
        .map(({ offer: { id, createdAtUs } }) => ({ ...all, createdAtUs, offerId: id }))
        .sort((a, b) => b.createdAtUs - a.createdAtUs || (a.offerId < b.offerId ? 1 : -1));
      expect(seen).toEqual(expected);
    });
    test('[G6] a commit moves the lists and counts of its offers', async () => {
      expect(await counts()).toEqual(none);
      const [a, b, c] = await publish(1, 2, 3);
      await commit(
        alteration(a!.offer, { kind: 'hide' }),
        alteration(b!.offer, { kind: 'ban', editable: true, reasons: [], opinionVersion: 1 }),
        alteration(c!.offer, { kind: 'sell', onPlatform: false }),
      );
      expect(await counts()).toEqual({ all: 3, active: 0, inactive: 1, banned: 1, sold: 1 });
      for (const [preset, change] of [
        ['inactive', a],
        ['banned', b],
        ['sold', c],
      ] as const)
        expect((await stores.cabinet.page({ seller, preset, limit: 9 }))._unsafeUnwrap()).toEqual([
          { seller, preset, createdAtUs: change!.offer.createdAtUs, offerId: change!.offer.id },
        ]);
    });
    test('[G11] totals are the sum over their stripes, money by currency', async () => {
      const euros = { content: { price: { minorUnits: 7, currency: 'EUR' } } };
      const made = [publication(1), publication(2, { ...euros, stripe: 3 }), publication(3, { stripe: 9 })];
      await commit(...made);
      await commit(
        ...made
          .slice(0, 2)
          .map(({ offer }, stripe) => alteration(offer, { kind: 'sell', onPlatform: true }, { stripe })),
      );
      expect(await stores.cabinet.totals(seller)).toEqual(
        ok({ Active: 1, Expired: 0, Banned: 0, Sold: 2, MoneyEarned: { RUB: 100_000, EUR: 7 } }),
      );
      expect((await stores.cabinet.totals(sampleSeller(9)))._unsafeUnwrap()).toMatchObject({
        Sold: 0,
        MoneyEarned: {},
      });
    });
    test('[G6] a repair in steps reports the drift and removes it', async () => {
      await publish(1, 2, 3, 4, 5);
      await corruptCount(all, 7);
      expect((await counts()).all).toBe(12);
      expect(await repairStep(2)).toEqual({ done: false });
      expect(await repairStep(2)).toEqual({ done: false });
      expect(await repairStep(2)).toEqual({ done: true, counted: 5, drift: 7 });
      expect(await counts()).toEqual({ ...none, all: 5, active: 5 });
      expect(await repairStep(100)).toEqual({ done: true, counted: 5, drift: 0 });
    });
    test('[G6] lines added and removed between the steps of a repair are counted once, on both sides of its cursor', async () => {
      const made = await publish(10, 20, 30, 40, 50, 60);
      await corruptCount(all, -3);
      await repairStep(3);
      await publish(5, 15, 45, 65);
      await commit(...[made[0]!, made[5]!].map(({ offer }) => alteration(offer, { kind: 'remove' })));
      await repairStep(3);
      await publish(6, 66);
      await commit(alteration(made[2]!.offer, { kind: 'edit', content: sampleContent({ title: 'new' }) }));
      for (;;) {
        const step = await repairStep(3);
        if (!step.done) continue;
        expect(step).toEqual({ done: true, counted: 10, drift: -3 });
        break;
      }
      expect((await counts()).all).toBe(10);
      expect((await stores.cabinet.page({ ...all, limit: 100 }))._unsafeUnwrap()).toHaveLength(10);
    });
    test.each([0, 1, 2, 3])(
      '[X14] [G6] a repair is exact when one line goes between its steps, also exactly the last counted one (%i)',
      async (victim) => {
        const made = await publish(10, 20, 30, 40);
        await corruptCount(all, 7);
        expect(await repairStep(2)).toEqual({ done: false });
        await commit(alteration(made[victim]!.offer, { kind: 'remove' }));
        let step = await repairStep(2);
        while (!step.done) step = await repairStep(2);
        expect(step).toEqual({ done: true, counted: 3, drift: 7 });
        expect((await counts()).all).toBe(3);
      },
    );
    test('[G6] every list that has a count can be found', async () => {
      await commit(publication(1), publication(2, { seller: sampleSeller(2) }));
      const found: PresetList[] = [];
      for (let last: PresetList | undefined; ;) {
        const page = (
          await stores.cabinet.lists({ limit: 3, ...(last ? { after: last } : {}) })
        )._unsafeUnwrap();
        found.push(...page);
        last = page.at(-1);
        if (!last) break;
      }
      const names = found.map((list) => `${list.seller} ${list.preset}`).sort();
      expect(names).toEqual(['seller-1 active', 'seller-1 all', 'seller-2 active', 'seller-2 all']);
    });
    test('[G11] a repair sets totals to their sources and reports which were wrong', async () => {
      const [a, b, c, d] = await publish(1, 2, 3, 4);
      await commit(
        alteration(a!.offer, { kind: 'sell', onPlatform: true }),
        alteration(b!.offer, { kind: 'ban', editable: true, reasons: [], opinionVersion: 1 }),
        alteration(c!.offer, { kind: 'expire' }, { nowUs: c!.offer.expiresAtUs! }),
        alteration(d!.offer, { kind: 'sell', onPlatform: true }),
      );
      // Removed and sold again: the sale stays one.
      const sold = (await stores.offers.load([a!.offer.id]))._unsafeUnwrap()[0]!;
      await commit(alteration(sold, { kind: 'remove' }));
      await publish(5);
      const right = { Active: 1, Expired: 1, Banned: 1, Sold: 2, MoneyEarned: { RUB: 200_000 } };
      expect(await stores.cabinet.totals(seller)).toEqual(ok(right));
      expect(await stores.cabinet.repairTotals(seller)).toEqual(ok([]));
      await corruptTotal(seller, { total: 'Expired', currency: '', by: 3 });
      await corruptTotal(seller, { total: 'Sold', currency: '', by: -1 });
      await corruptTotal(seller, { total: 'MoneyEarned', currency: 'RUB', by: 500 });
      await corruptTotal(seller, { total: 'MoneyEarned', currency: 'USD', by: 9 });
      const told = (await stores.cabinet.repairTotals(seller))._unsafeUnwrap();
      expect([...told].sort((x, y) => x.drift - y.drift)).toEqual([
        { total: 'Sold', currency: '', drift: -1 },
        { total: 'Expired', currency: '', drift: 3 },
        { total: 'MoneyEarned', currency: 'USD', drift: 9 },
        { total: 'MoneyEarned', currency: 'RUB', drift: 500 },
      ]);
      const { MoneyEarned, ...counts } = (await stores.cabinet.totals(seller))._unsafeUnwrap();
      expect(counts).toEqual({ Active: 1, Expired: 1, Banned: 1, Sold: 2 });
      expect({ USD: 0, ...MoneyEarned }).toEqual({ RUB: 200_000, USD: 0 });
      expect(await stores.cabinet.repairTotals(sampleSeller(8))).toEqual(ok([]));
    });
  });
};
