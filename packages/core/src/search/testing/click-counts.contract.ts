import { ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OfferId } from '../../gost/index.ts';
import type { ClickCountStore, ShownOffer } from '../events/click-counts.port.ts';
import { HOUR_MS } from '../events/search-event.ts';
import { sampleOffer } from './ctr-stores.contract.ts';

export type ClickCountsHarness = {
  /** An empty store. */
  readonly open: () => Promise<{ readonly store: ClickCountStore; readonly close: () => Promise<void> }>;
};
const [a, b, c] = [1, 2, 3].map(sampleOffer).toSorted() as [OfferId, OfferId, OfferId];
const HOUR = 500_000;
const AT_MS = HOUR * HOUR_MS;

export const clickCountsContract = (backend: string, { open }: ClickCountsHarness): void => {
  describe(`ClickCountStore contract: ${backend}`, () => {
    let store: ClickCountStore, close: () => Promise<void>;
    beforeEach(async () => ({ store, close } = await open()));
    afterEach(() => close());
    const shown = (
      queryId: string,
      offerId: OfferId,
      more: Partial<Pick<ShownOffer, 'shownAtMs' | 'isClicked'>> = {},
    ): ShownOffer => ({ queryId, offerId, shownAtMs: AT_MS, isClicked: false, ...more });
    const count = async (...some: readonly ShownOffer[]) =>
      expect(await store.count(some)).toEqual(ok(undefined));
    const sums = async (from = HOUR, to = HOUR + 1, after?: OfferId, limit = 10) =>
      (await store.sums({ from, to }, after, limit))
        ._unsafeUnwrap()
        .map(({ offerId, impressions, clicks }) => [offerId, impressions, clicks]);

    test('[S15] an offer of an answer is one impression and at most one click, however often it comes', async () => {
      await count(shown('q', a), shown('q', b, { isClicked: true }));
      await count(shown('q', a), shown('q', b, { isClicked: true }));
      await count(shown('q', a, { isClicked: true }), shown('q', b));
      await count(shown('q', a, { isClicked: true }));
      expect(await sums()).toEqual([
        [a, 1, 1],
        [b, 1, 1],
      ]);
    });
    test('[S15] a click without an impression counts as both', async () => {
      await count(shown('q', a, { isClicked: true }));
      await count(shown('q', a));
      expect(await sums()).toEqual([[a, 1, 1]]);
    });
    test('[S15] each answer counts for itself', async () => {
      await count(shown('q', a), shown('r', a, { isClicked: true }));
      await count(shown('q', a, { shownAtMs: AT_MS + 1 }));
      expect(await sums()).toEqual([[a, 3, 1]]);
    });
    test('[S15] counts belong to the hour in which the offer was shown, and the end of a range is not in it', async () => {
      await count(shown('q', a), shown('r', a, { shownAtMs: AT_MS + HOUR_MS - 1 }));
      await count(shown('s', a, { shownAtMs: AT_MS + HOUR_MS }), shown('t', b, { shownAtMs: AT_MS - 1 }));
      expect(await sums()).toEqual([[a, 2, 0]]);
      expect(await sums(HOUR - 1, HOUR + 2)).toEqual([
        [a, 3, 0],
        [b, 1, 0],
      ]);
      const hours = await store.hours({ from: HOUR - 1, to: HOUR + 1 });
      expect(hours._unsafeUnwrap()).toEqual([HOUR - 1, HOUR]);
      expect((await store.hours({ from: HOUR + 2, to: HOUR + 9 }))._unsafeUnwrap()).toEqual([]);
    });
    test('[S15] sums come by offer, page by page', async () => {
      await count(shown('q', b), shown('q', a), shown('q', c));
      await count(shown('r', a, { shownAtMs: AT_MS + HOUR_MS, isClicked: true }));
      expect(await sums(HOUR, HOUR + 2, undefined, 2)).toEqual([
        [a, 2, 1],
        [b, 1, 0],
      ]);
      expect(await sums(HOUR, HOUR + 2, b, 2)).toEqual([[c, 1, 0]]);
    });
    test('[S15] what old answers showed is forgotten in bounded steps, and the counts stay', async () => {
      await count(...[a, b, c].map((offer) => shown('old', offer)));
      await count(shown('young', a, { shownAtMs: AT_MS + 5 }));
      const forget = async () => (await store.forget(AT_MS + 5, 2))._unsafeUnwrap();
      expect([await forget(), await forget(), await forget()]).toEqual([2, 1, 0]);
      await count(shown('young', a, { shownAtMs: AT_MS + 5 }));
      expect(await sums()).toEqual([
        [a, 2, 0],
        [b, 1, 0],
        [c, 1, 0],
      ]);
    });
    test('[S15] counts of hours before one are deleted in bounded steps', async () => {
      await count(shown('q', a), shown('q', b), shown('q', c));
      await count(shown('r', a, { shownAtMs: AT_MS + HOUR_MS }));
      const purge = async () => (await store.purge(HOUR + 1, 2))._unsafeUnwrap();
      expect([await purge(), await purge(), await purge()]).toEqual([2, 1, 0]);
      expect(await sums(HOUR, HOUR + 2)).toEqual([[a, 1, 0]]);
    });
    test('[S15] calls at the same time lose no count', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          store.count([shown(`q${n}`, a), shown(`q${n}`, b, { isClicked: true })]),
        ),
      );
      expect(await sums()).toEqual([
        [a, 20, 0],
        [b, 20, 20],
      ]);
    });
  });
};
