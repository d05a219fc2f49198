import { ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OfferId } from '../../gost/index.ts';
import type { Parking, ParkingLot } from '../parking/parking-lot.port.ts';
import { sampleOffer } from './ctr-stores.contract.ts';

export type ParkingLotHarness = {
  /** An empty lot. */
  readonly open: () => Promise<{ readonly lot: ParkingLot; readonly close: () => Promise<void> }>;
};
const [a, b, c] = [1, 2, 3].map(sampleOffer).toSorted() as [OfferId, OfferId, OfferId];
const parking = (offerId: OfferId, more: Partial<Parking> = {}): Parking => ({
  offerId,
  cause: 'conversion',
  reason: 'the catalogue has no category x',
  versionUs: 500,
  atMs: 1_000,
  retryAtMs: 2_000,
  ...more,
});

export const parkingLotContract = (backend: string, { open }: ParkingLotHarness): void => {
  describe(`ParkingLot contract: ${backend}`, () => {
    let lot: ParkingLot, close: () => Promise<void>;
    beforeEach(async () => ({ lot, close } = await open()));
    afterEach(() => close());
    const park = async (...offers: readonly Parking[]) =>
      expect(await lot.park(offers)).toEqual(ok(undefined));
    const find = async (...ids: readonly OfferId[]) => (await lot.find(ids))._unsafeUnwrap();
    const due = async (nowMs: number, limit = 10) =>
      (await lot.due(nowMs, limit))._unsafeUnwrap().map(({ offerId }) => offerId);

    test('[S4] a parked offer is found with its reason, its version and since when', async () => {
      await park(parking(a), parking(b, { cause: 'tooLarge', reason: 'too large', versionUs: 0 }));
      expect(await find(a, c)).toEqual([
        {
          offerId: a,
          cause: 'conversion',
          reason: 'the catalogue has no category x',
          versionUs: 500,
          sinceMs: 1_000,
          retryAtMs: 2_000,
          attempts: 0,
          sent: false,
          revision: 1,
        },
      ]);
      expect(await find(b)).toMatchObject([{ cause: 'tooLarge', reason: 'too large', versionUs: 0 }]);
      expect((await lot.count())._unsafeUnwrap()).toBe(2);
    });
    test('[S4] an offer that is parked again keeps since when, its attempts and the higher version', async () => {
      await park(parking(a, { versionUs: 700 }));
      const change = { reason: 'still', attempts: 3, retryAtMs: 9_000, sent: true };
      expect(await lot.settle(a, 1, change)).toEqual(ok(true));
      expect(await find(a)).toMatchObject([{ ...change, revision: 2, versionUs: 700, sinceMs: 1_000 }]);
      await park(
        parking(a, { atMs: 5_000, retryAtMs: 5_000, versionUs: 600, cause: 'rejected', reason: 'no' }),
      );
      expect(await find(a)).toEqual([
        {
          offerId: a,
          cause: 'rejected',
          reason: 'no',
          versionUs: 700,
          sinceMs: 1_000,
          retryAtMs: 5_000,
          attempts: 3,
          sent: false,
          revision: 3,
        },
      ]);
      await park(parking(a, { versionUs: 800 }));
      expect(await find(a)).toMatchObject([{ versionUs: 800 }]);
      expect((await lot.count())._unsafeUnwrap()).toBe(1);
    });
    test('[S4] retries are due in the order of their times, and only when their time has come', async () => {
      await park(parking(a, { retryAtMs: 3_000 }), parking(b, { retryAtMs: 1_000 }), parking(c));
      expect(await due(999)).toEqual([]);
      expect(await due(2_000)).toEqual([b, c]);
      expect(await due(9_000)).toEqual([b, c, a]);
      expect(await due(9_000, 1)).toEqual([b]);
      await lot.settle(b, 1, { reason: 'x', attempts: 1, retryAtMs: 8_000, sent: false });
      await park(parking(c, { retryAtMs: 9_000 }));
      expect(await due(8_000)).toEqual([a, b]);
    });
    test('[S4] a retry that an event overtook neither removes nor changes the offer', async () => {
      await park(parking(a));
      await park(parking(a, { versionUs: 900 }));
      expect(await lot.settle(a, 1, undefined)).toEqual(ok(false));
      const change = { reason: 'x', attempts: 9, retryAtMs: 1, sent: true };
      expect(await lot.settle(a, 1, change)).toEqual(ok(false));
      expect(await find(a)).toMatchObject([{ versionUs: 900, attempts: 0, revision: 2 }]);
      expect(await lot.settle(a, 2, undefined)).toEqual(ok(true));
      expect([await find(a), await due(9_000)]).toEqual([[], []]);
      expect(await lot.settle(a, 2, undefined)).toEqual(ok(false));
    });
    test('[S4] parked offers are listed by id, page by page', async () => {
      await park(parking(c), parking(a), parking(b));
      const list = async (after: string, limit: number) =>
        (await lot.list(after, limit))._unsafeUnwrap().map(({ offerId }) => offerId);
      expect(await list('', 2)).toEqual([a, b]);
      expect(await list(b, 2)).toEqual([c]);
      expect(await list(c, 2)).toEqual([]);
    });
  });
};
