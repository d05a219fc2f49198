import { err, ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CategoryId } from '../../catalog/index.ts';
import type { DraftMove, OfferDraft } from '../commit/commit-unit.ts';
import type { DraftId, DraftOwner } from '../drafts/draft.ts';
import { publication, type GostHarness, type GostStores } from './gost-stores.ts';
import { sampleContent, sampleOfferId, sampleSeller } from './samples.ts';

const user: DraftOwner = { kind: 'user', id: 'ann' };
const visitor: DraftOwner = { kind: 'anonymous', id: 'ann' };
const draftOf = (id: string, owner: DraftOwner): OfferDraft => {
  const { category, ...content } = sampleContent();
  return { id: id as DraftId, owner, category, content, lastUpdateUs: 5 };
};
const put = (owner: DraftOwner, expectedVersion: number, draft?: OfferDraft): DraftMove => ({
  slots: [{ owner, expectedVersion, draft }],
  erased: [],
});

export const draftStoreContract = (backend: string, { open }: GostHarness): void => {
  describe(`DraftStore contract: ${backend}`, () => {
    let stores: GostStores, again: () => GostStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, again, close } = await open()));
    afterEach(() => close());
    const commit = async (drafts: DraftMove) =>
      (await stores.offers.commit([{ changes: [], drafts }]))._unsafeUnwrap()[0];
    const slots = async () => (await again().drafts.slots([user, visitor]))._unsafeUnwrap();

    test('[G2] a slot that was never used is empty, at version 0', async () => {
      expect(await slots()).toEqual([
        { owner: user, version: 0, draft: undefined },
        { owner: visitor, version: 0, draft: undefined },
      ]);
      expect(await stores.drafts.publishedAs('d' as DraftId)).toEqual(ok(undefined));
    });
    test('[G2] a draft is read as it was put, also one without a category', async () => {
      expect(await commit(put(user, 0, draftOf('d1', user)))).toEqual(ok(undefined));
      const bare = { ...draftOf('d2', visitor), category: undefined as CategoryId | undefined };
      await commit(put(visitor, 0, bare));
      expect(await slots()).toEqual([
        { owner: user, version: 1, draft: draftOf('d1', user) },
        { owner: visitor, version: 1, draft: bare },
      ]);
    });
    test('[G2] a commit on an old version of a slot is refused; a version never comes back, also after the slot was freed', async () => {
      await commit(put(user, 0, draftOf('d1', user)));
      expect(await commit(put(user, 0, draftOf('d2', user)))).toEqual(err({ kind: 'Conflict' }));
      await commit({ ...put(user, 1), erased: ['d1' as DraftId] });
      expect((await slots())[0]).toEqual({ owner: user, version: 2, draft: undefined });
      expect(await commit(put(user, 1, draftOf('d1', user)))).toEqual(err({ kind: 'Conflict' }));
      expect(await commit(put(user, 2, draftOf('d3', user)))).toEqual(ok(undefined));
    });
    test('[G2] a draft moves between owners with both slots checked, in one commit', async () => {
      await commit(put(visitor, 0, draftOf('d1', visitor)));
      const move = (userVersion: number): DraftMove => ({
        slots: [
          { owner: user, expectedVersion: userVersion, draft: draftOf('d1', user) },
          { owner: visitor, expectedVersion: 1, draft: undefined },
        ],
        erased: [],
      });
      expect(await commit(move(7))).toEqual(err({ kind: 'Conflict' }));
      expect((await slots()).map(({ draft }) => draft?.id)).toEqual([undefined, 'd1']);
      expect(await commit(move(0))).toEqual(ok(undefined));
      expect((await slots()).map(({ draft }) => draft?.id)).toEqual(['d1', undefined]);
    });
    test('[G2] publishing creates the offer, frees the slot and remembers the offer, or does nothing', async () => {
      await commit(put(user, 0, draftOf('d1', user)));
      const publish = (n: number) => {
        const published = { draftId: 'd1' as DraftId, offerId: sampleOfferId(n), atUs: 9 };
        return { changes: [publication(n)], drafts: { ...put(user, 1), published } };
      };
      const outcomes = await Promise.all([1, 2].map((n) => again().offers.commit([publish(n)])));
      const won = outcomes.findIndex((outcome) => outcome._unsafeUnwrap()[0]!.isOk()) + 1;
      expect(outcomes.filter((outcome) => outcome._unsafeUnwrap()[0]!.isOk())).toHaveLength(1);
      expect(await stores.drafts.publishedAs('d1' as DraftId)).toEqual(ok(sampleOfferId(won)));
      expect((await slots())[0]).toEqual({ owner: user, version: 2, draft: undefined });
      const offers = (await stores.offers.load([1, 2].map(sampleOfferId)))._unsafeUnwrap();
      expect(offers.map(({ id }) => id)).toEqual([sampleOfferId(won)]);
      expect((await stores.cabinet.counts(sampleSeller()))._unsafeUnwrap().all).toBe(1);
    });
    test('[G2] abandoned drafts are the anonymous ones last saved before a moment, oldest first; drafts of users are kept', async () => {
      const visitors = ['v1', 'v2', 'v3'].map((id): DraftOwner => ({ kind: 'anonymous', id }));
      for (const [n, owner] of visitors.entries())
        await commit(put(owner, 0, { ...draftOf(`d${n}`, owner), lastUpdateUs: 30 - n }));
      await commit(put(user, 0, draftOf('d9', user)));
      const abandoned = async (beforeUs: number, limit = 9) =>
        (await again().drafts.abandoned(beforeUs, limit))._unsafeUnwrap();
      expect((await abandoned(30)).map(({ owner }) => owner.id)).toEqual(['v3', 'v2']);
      expect(
        (await abandoned(100, 1)).map(({ owner, version, draft }) => [owner.id, version, draft?.id]),
      ).toEqual([['v3', 1, 'd2']]);
      // Freed, it is no draft any more; saved again, it is a young one.
      await commit({ ...put(visitors[2]!, 1), erased: ['d2' as DraftId] });
      await commit(put(visitors[1]!, 1, { ...draftOf('d1', visitors[1]!), lastUpdateUs: 99 }));
      expect(await abandoned(90)).toEqual([
        { owner: visitors[0], version: 1, draft: { ...draftOf('d0', visitors[0]!), lastUpdateUs: 30 } },
      ]);
    });
    test('[G2] old records of published drafts are deleted, a bounded number at a time', async () => {
      for (const n of [1, 2, 3]) {
        const owner: DraftOwner = { kind: 'user', id: `u${n}` };
        await commit(put(owner, 0, draftOf(`p${n}`, owner)));
        const published = { draftId: `p${n}` as DraftId, offerId: sampleOfferId(n), atUs: n * 10 };
        await commit({ ...put(owner, 1), published });
      }
      const known = async () =>
        Promise.all(
          [1, 2, 3].map(async (n) => (await stores.drafts.publishedAs(`p${n}` as DraftId))._unsafeUnwrap()),
        );
      expect(await stores.drafts.forgetPublished(10, 9)).toEqual(ok(0));
      expect(await stores.drafts.forgetPublished(30, 1)).toEqual(ok(1));
      expect(await stores.drafts.forgetPublished(30, 9)).toEqual(ok(1));
      expect(await known()).toEqual([undefined, undefined, sampleOfferId(3)]);
    });
  });
};
