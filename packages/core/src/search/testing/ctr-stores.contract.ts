import { ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { offerIdFrom, type OfferId } from '../../gost/index.ts';
import type { CtrStores, QueuedOffer } from '../ctr/ctr-stores.port.ts';

export type CtrStoresHarness = {
  /** Empty stores. */
  readonly open: () => Promise<{ readonly stores: CtrStores; readonly close: () => Promise<void> }>;
};
/** Different offers, in no order. */
export const sampleOffer = (n: number): OfferId =>
  offerIdFrom(Array.from({ length: 12 }, (_, at) => (n >> (at % 8)) & 31));

const [a, b, c] = [1, 2, 3].map(sampleOffer) as [OfferId, OfferId, OfferId];

export const ctrStoresContract = (backend: string, { open }: CtrStoresHarness): void => {
  describe(`CtrStores contract: ${backend}`, () => {
    let stores: CtrStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, close } = await open()));
    afterEach(() => close());
    const put = async (epochMs: number, rates: Readonly<Record<string, number>>) =>
      expect(
        await stores.rates.put(
          epochMs,
          Object.entries(rates).map(([id, ctr]) => ({ offerId: id as OfferId, ctr })),
        ),
      ).toEqual(ok(undefined));
    const rates = async (epochMs: number, ...ids: readonly OfferId[]) =>
      Object.fromEntries((await stores.rates.rates(epochMs, ids))._unsafeUnwrap());
    const count = async (epochMs: number) => (await stores.rates.count(epochMs))._unsafeUnwrap();
    const nextEpoch = async (afterMs: number) => (await stores.rates.nextEpoch(afterMs))._unsafeUnwrap();

    describe('rates', () => {
      test('[S5] an offer has a rate in each epoch that has one, and none elsewhere', async () => {
        await put(10, { [a]: 0.25, [b]: 0 });
        await put(20, { [a]: 1 });
        expect(await rates(10, a, b, c)).toEqual({ [a]: 0.25, [b]: 0 });
        expect(await rates(20, a, b)).toEqual({ [a]: 1 });
        expect(await rates(15, a, b)).toEqual({});
        expect(await rates(10)).toEqual({});
      });
      test('[S5] a slice that is stored again changes nothing, so the count of a load is exact', async () => {
        await put(10, { [a]: 0.25, [b]: 0.5 });
        await put(10, { [a]: 0.3, [b]: 0.5 });
        await put(20, { [c]: 0.5 });
        expect([await count(10), await count(20), await count(15)]).toEqual([2, 1, 0]);
        expect(await rates(10, a)).toEqual({ [a]: 0.3 });
      });
      test('[S5] a load of more rows than one call takes is counted and found as a whole', async () => {
        const ids = Array.from({ length: 2_100 }, (_, n) =>
          offerIdFrom([n & 31, (n >> 5) & 31, (n >> 10) & 31, ...Array<number>(9).fill(7)]),
        );
        for (let from = 0; from < ids.length; from += 1_000)
          await put(10, Object.fromEntries(ids.slice(from, from + 1_000).map((id) => [id, 0.5])));
        expect(await count(10)).toBe(2_100);
        expect(Object.keys(await rates(10, ...ids.slice(1_500, 2_100)))).toHaveLength(600);
      });
      test('[S5] epochs with rates are found in ascending order', async () => {
        expect(await nextEpoch(0)).toBeUndefined();
        for (const epochMs of [1_800_000_000_000, 30, 200]) await put(epochMs, { [a]: 0.5, [b]: 0.5 });
        const found: (number | undefined)[] = [];
        for (let after: number | undefined = 0; after !== undefined;)
          found.push((after = await nextEpoch(after)));
        expect(found).toEqual([30, 200, 1_800_000_000_000, undefined]);
      });
      test('[S5] a purge deletes rates of its epoch alone, in bounded steps', async () => {
        await put(10, { [a]: 0.1, [b]: 0.2, [c]: 0.3 });
        await put(20, { [a]: 0.5 });
        const purge = async () => (await stores.rates.purge(10, 2))._unsafeUnwrap();
        expect([await purge(), await count(10), await purge(), await purge()]).toEqual([2, 1, 1, 0]);
        expect([await count(10), await count(20), await nextEpoch(0)]).toEqual([0, 1, 20]);
      });
    });

    describe('queue', () => {
      const next = async (after?: QueuedOffer, limit = 10) =>
        (await stores.queue.next(after, limit))._unsafeUnwrap();
      const add = async (table: string, ...ids: readonly OfferId[]) =>
        expect(await stores.queue.add(table, ids)).toEqual(ok(undefined));
      const queued = async () => (await stores.queue.count())._unsafeUnwrap();

      test('[S5] elements are listed table by table, page by page', async () => {
        await add('t2', a);
        await add('t1', a, b, c);
        await add('t10', b);
        const listed: QueuedOffer[] = [];
        for (let after: QueuedOffer | undefined; ;) {
          const page = await next(after, 2);
          listed.push(...page);
          if (page.length < 2) break;
          after = page.at(-1);
        }
        expect(listed.map(({ table }) => table)).toEqual(['t1', 't1', 't1', 't10', 't2']);
        expect(new Set(listed.slice(0, 3).map(({ offerId }) => offerId))).toEqual(new Set([a, b, c]));
        expect(await queued()).toBe(5);
      });
      test('[S5] a table that is queued twice has each offer once', async () => {
        await add('t1', a, b);
        await add('t1', a, b);
        expect(await queued()).toBe(2);
      });
      test('[S5] exactly the named elements leave, and the same offer of another table stays', async () => {
        await add('t1', a, b);
        await add('t2', a);
        expect(await stores.queue.remove([{ table: 't1', offerId: a }])).toEqual(ok(undefined));
        // Removed already: nothing happens.
        expect(await stores.queue.remove([{ table: 't1', offerId: a }])).toEqual(ok(undefined));
        expect(await next()).toEqual([
          { table: 't1', offerId: b },
          { table: 't2', offerId: a },
        ]);
      });
    });
  });
};
