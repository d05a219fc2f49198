import { err, ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OfferChange } from '../offer/offer-change.ts';
import { alteration, publication, type GostHarness, type GostStores } from './gost-stores.ts';
import { commandId, sampleContent, sampleOfferId, sampleSeller } from './samples.ts';

const conflict = err({ kind: 'Conflict' });
const unit = (...changes: OfferChange[]) => ({ changes });
const byId = <T extends { readonly id: string }>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => (a.id < b.id ? -1 : 1));

export const offerStoreContract = (backend: string, { open }: GostHarness): void => {
  describe(`OfferStore contract: ${backend}`, () => {
    let stores: GostStores, again: () => GostStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, again, close } = await open()));
    afterEach(() => close());
    const commit = async (...changes: OfferChange[]) =>
      (await stores.offers.commit(changes.map((change) => unit(change))))._unsafeUnwrap();
    const versions = async (...ns: number[]) => {
      const found = (await again().offers.load(ns.map(sampleOfferId)))._unsafeUnwrap();
      return ns.map((n) => found.find(({ id }) => id === sampleOfferId(n))?.version);
    };

    test('[G1] committed offers are loaded unchanged; unknown ids are left out', async () => {
      const made = [publication(1), publication(2, { content: { title: 'Уаз 😀' } })];
      expect(await commit(...made)).toEqual([ok(undefined), ok(undefined)]);
      const loaded = (await again().offers.load([1, 2, 3].map(sampleOfferId)))._unsafeUnwrap();
      expect(byId(loaded)).toEqual(byId(made.map(({ offer }) => offer)));
      expect(await stores.offers.load([])).toEqual(ok([]));
    });
    test('[G1] the cached offer of the caller is returned if its version is current, else the offer is reloaded', async () => {
      const made = [publication(1), publication(2)];
      await commit(...made);
      const hidden = alteration(made[1]!.offer, { kind: 'hide' });
      const known = new Map(made.map(({ offer }) => [offer.id, offer]));
      const load = async () =>
        byId((await stores.offers.load([1, 2, 3].map(sampleOfferId), (id) => known.get(id)))._unsafeUnwrap());
      expect(await load()).toEqual(byId(made.map(({ offer }) => offer)));
      await commit(hidden);
      expect(await load()).toEqual(byId([made[0]!.offer, hidden.offer]));
      const both = await Promise.all([load(), stores.offers.load([sampleOfferId(2)])]);
      expect(both[1]).toEqual(ok([hidden.offer]));
    });
    test('[G1] a unit decided on an old version is refused whole; the other units of the call commit', async () => {
      const one = publication(1);
      const two = publication(2);
      const three = publication(3);
      await commit(one);
      const stale = alteration(alteration(one.offer, { kind: 'hide' }).offer, { kind: 'remove' });
      const outcomes = await stores.offers.commit([unit(two, stale), unit(three), unit(publication(1))]);
      expect(outcomes).toEqual(ok([conflict, ok(undefined), conflict]));
      expect(await versions(1, 2, 3)).toEqual([1, undefined, 1]);
      expect((await stores.cabinet.counts(sampleSeller()))._unsafeUnwrap()).toMatchObject({
        all: 2,
        active: 2,
      });
      expect((await stores.cabinet.totals(sampleSeller()))._unsafeUnwrap().Active).toBe(2);
      expect(await stores.offers.history(sampleOfferId(2), { limit: 9 })).toEqual(ok([]));
      const queued = await Promise.all([0, 1, 2, 3].map((shard) => stores.queue.read(shard, 10)));
      expect(queued.flatMap((rows) => rows._unsafeUnwrap())).toHaveLength(2);
    });
    test('[G1] two units of one offer in one call are applied one after the other', async () => {
      const made = publication(1);
      const hidden = alteration(made.offer, { kind: 'hide' });
      const rival = alteration(made.offer, { kind: 'remove' });
      expect(await commit(made, hidden, rival)).toEqual([ok(undefined), ok(undefined), conflict]);
      expect(await versions(1)).toEqual([2]);
    });
    test('[G1] of eight commits on one version at the same time one wins', async () => {
      const made = publication(1);
      await commit(made);
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          again().offers.commit([
            unit(alteration(made.offer, { kind: 'edit', content: sampleContent({ title: `title ${n}` }) })),
          ]),
        ),
      );
      const won = outcomes.map((outcome) => outcome._unsafeUnwrap()[0]!.isOk());
      expect(won.filter(Boolean)).toHaveLength(1);
      const [offer] = (await stores.offers.load([sampleOfferId(1)]))._unsafeUnwrap();
      expect(offer!.content.title).toBe(`title ${won.indexOf(true)}`);
    });
    test('[G3] of two offers with one id one is created', async () => {
      const outcomes = await Promise.all(
        [1, 2].map((n) =>
          again().offers.commit([
            unit(publication(n, { offerId: sampleOfferId(9), seller: sampleSeller(n) })),
          ]),
        ),
      );
      expect(outcomes.filter((outcome) => outcome._unsafeUnwrap()[0]!.isOk())).toHaveLength(1);
      const counts = await Promise.all([1, 2].map((n) => stores.cabinet.counts(sampleSeller(n))));
      expect(counts.reduce((sum, one) => sum + one._unsafeUnwrap().all, 0)).toBe(1);
    });
    test('[G14] the history lists every change, newest first, in pages', async () => {
      const made = publication(1);
      const hidden = alteration(made.offer, { kind: 'hide' });
      const sold = alteration(hidden.offer, { kind: 'sell', onPlatform: true });
      await commit(made, hidden, sold);
      const page = (await stores.offers.history(made.offer.id, { limit: 2 }))._unsafeUnwrap();
      expect(page).toEqual([sold.history, hidden.history]);
      expect(await stores.offers.history(made.offer.id, { before: 2, limit: 2 })).toEqual(ok([made.history]));
    });
    test('[G16] history entries are overwritten, none is added, and nothing else changes', async () => {
      const made = publication(1);
      const hidden = alteration(made.offer, { kind: 'hide' });
      await commit(made, hidden, publication(2));
      const plain = { ...made.history, commandId: commandId('plain'), details: undefined };
      const missing = { ...plain, version: 3 };
      for (let times = 0; times < 2; times++)
        expect(await again().offers.rewriteHistory([plain, missing])).toEqual(ok(undefined));
      expect(await stores.offers.history(made.offer.id, { limit: 9 })).toEqual(ok([hidden.history, plain]));
      expect(await stores.offers.history(sampleOfferId(2), { limit: 9 })).toEqual(
        ok([publication(2).history]),
      );
      expect(await stores.offers.load([made.offer.id])).toEqual(ok([hidden.offer]));
      expect(await stores.offers.rewriteHistory([])).toEqual(ok(undefined));
    });
    test('[G13] due offers are listed by shard, longest overdue first, without hidden ones', async () => {
      const made = [3, 1, 2].map((n) =>
        publication(n, { shards: 1, nowUs: 1_000_000 * n, lifetimeUs: 1_000 }),
      );
      await commit(...made);
      await commit(alteration(made[2]!.offer, { kind: 'hide' }, { shards: 1 }));
      const due = async (nowUs: number, limit = 10) =>
        (await stores.timers.due('expiry', 0, nowUs, limit))._unsafeUnwrap().map(({ offerId }) => offerId);
      expect(await due(1_000_999)).toEqual([]);
      expect(await due(1_001_000)).toEqual([sampleOfferId(1)]);
      expect(await due(9_000_000)).toEqual([sampleOfferId(1), sampleOfferId(3)]);
      expect(await due(9_000_000, 1)).toEqual([sampleOfferId(1)]);
      expect(await stores.timers.due('expiry', 1, 9_000_000, 10)).toEqual(ok([]));
    });
    test('[G1] a unit of many offers commits all or none', async () => {
      const many = Array.from({ length: 100 }, (_, n) => publication(n));
      expect(await stores.offers.commit([unit(...many)])).toEqual(ok([ok(undefined)]));
      expect((await stores.cabinet.counts(sampleSeller()))._unsafeUnwrap().active).toBe(100);
    });
    test('[G12] a body that a change does not touch stays unchanged and is loaded with the others', async () => {
      const made = publication(1);
      const banned = alteration(made.offer, {
        kind: 'ban',
        editable: true,
        reasons: ['x'],
        opinionVersion: 3,
      });
      const hidden = alteration(banned.offer, { kind: 'hide' });
      expect([made.kinds, banned.kinds, hidden.kinds]).toEqual([['content'], ['moderation'], []]);
      const image = {
        url: 'https://photos.test/1.jpg',
        outcome: { kind: 'failed', reason: 'TooLarge' },
      } as const;
      const pictured: OfferChange = {
        ...alteration(hidden.offer, { kind: 'remove' }),
        kinds: ['images'],
      };
      const offer = { ...pictured.offer, images: [image] };
      await commit(made, banned, hidden, { ...pictured, offer });
      expect(await again().offers.load([made.offer.id])).toEqual(ok([offer]));
    });
  });
};
