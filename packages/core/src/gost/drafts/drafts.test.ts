import { err, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { CategoryId } from '../../catalog/index.ts';
import { countingIds, manualClock, memoryDatabase, seededRandom } from '../../kernel/testing.ts';
import type { DraftId } from './draft.ts';
import { emptyText, type CommandId, type SellerId } from '../offer/offer.ts';
import { openTestGost } from '../testing/open-test-gost.ts';
import { inMemoryGostStores } from '../testing/gost-stores.ts';
import { sampleContent } from '../testing/samples.ts';
import { purgeAll } from './purge-drafts.use-case.ts';

const ann = 'ann' as SellerId;
const user = { kind: 'user', id: 'ann' } as const;
const { category, ...content } = sampleContent();
const open = () => {
  const time = manualClock(1_000);
  const stores = inMemoryGostStores(memoryDatabase({ nowMs: time.nowMs }));
  const newName = countingIds('draft').next;
  const gost = openTestGost({ stores, clock: time.clock, random: seededRandom(1), newName });
  const filled = async () => {
    const draft = (await gost.currentDraft({ userId: 'ann', category }))._unsafeUnwrap();
    return (await gost.saveDraft({ owner: user, draftId: draft.id, category, content }))._unsafeUnwrap();
  };
  return { stores, time, filled, ...gost };
};

describe('drafts', () => {
  test('[G2] asking twice gives the same draft and commits once', async () => {
    const { currentDraft, stores } = open();
    const first = (await currentDraft({ anonymousId: 'x' }))._unsafeUnwrap();
    expect(await currentDraft({ anonymousId: 'x' })).toEqual(ok(first));
    const [slot] = (await stores.drafts.slots([{ kind: 'anonymous', id: 'x' }]))._unsafeUnwrap();
    expect(first.content).toEqual(emptyText);
    expect(slot).toMatchObject({ version: 1, draft: { id: first.id } });
  });
  test('[G2] a visitor who logs in takes the draft along', async () => {
    const { currentDraft, stores } = open();
    const visitor = { kind: 'anonymous', id: 'x' } as const;
    const before = (await currentDraft({ anonymousId: 'x', category }))._unsafeUnwrap();
    const now = (await currentDraft({ anonymousId: 'x', userId: 'ann' }))._unsafeUnwrap();
    expect(now).toEqual({ ...before, owner: user });
    const slots = (await stores.drafts.slots([user, visitor]))._unsafeUnwrap();
    expect(slots.map(({ draft }) => draft?.id)).toEqual([before.id, undefined]);
  });
  test('[G2] a draft without a user id and an anonymous id is refused', async () => {
    expect((await open().currentDraft({}))._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidInput' });
  });
  test('[G2] only the draft that is there can be saved, and only so much', async () => {
    const { saveDraft, filled } = open();
    const draft = await filled();
    const other = 'other' as DraftId;
    expect(await saveDraft({ owner: user, draftId: other, category, content })).toEqual(
      err({ kind: 'DraftNotFound', draftId: other }),
    );
    const large = { ...content, description: 'x'.repeat(101 * 1024) };
    const refused = await saveDraft({ owner: user, draftId: draft.id, category, content: large });
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      violations: [{ path: 'description' }, { path: 'draft', code: 'TooLarge' }],
    });
  });
  test('[X7] a category of four megabytes is refused, for visitors too', async () => {
    const { currentDraft, saveDraft } = open();
    const huge = 'x'.repeat(4 << 20) as CategoryId;
    const asked = await currentDraft({ anonymousId: 'x', category: huge });
    expect(asked._unsafeUnwrapErr()).toMatchObject({
      violations: [{ path: 'category_id', code: 'TooLong' }],
    });
    const draft = (await currentDraft({ anonymousId: 'x' }))._unsafeUnwrap();
    const owner = { kind: 'anonymous', id: 'x' } as const;
    const saved = await saveDraft({ owner, draftId: draft.id, category: huge, content });
    expect(saved._unsafeUnwrapErr()).toMatchObject({
      violations: [{ path: 'category_id', code: 'TooLong' }],
    });
  });
  test('[X5] the ids of a draft’s owners are checked', async () => {
    const { currentDraft } = open();
    expect((await currentDraft({ userId: 'a\0', anonymousId: '' }))._unsafeUnwrapErr()).toMatchObject({
      violations: [{ path: 'owner.user_id' }, { path: 'owner.anonymous_id' }],
    });
  });
});

describe('publish', () => {
  test('[G2] the draft becomes an offer and the owner is free for the next', async () => {
    const { publishDraft, currentDraft, filled, stores } = open();
    const { id } = await filled();
    const made = (await publishDraft({ seller: ann, draftId: id }))._unsafeUnwrap();
    const [offer] = (await stores.offers.load([made.offerId]))._unsafeUnwrap();
    expect(offer).toMatchObject({ seller: 'ann', version: 1, content: { title: 'Lada, blue', category } });
    expect((await currentDraft({ userId: 'ann' }))._unsafeUnwrap().id).not.toBe(id);
  });
  test('[G2] repeated later it answers with the same offer', async () => {
    const { publishDraft, filled } = open();
    const command = { seller: ann, draftId: (await filled()).id };
    const made = await publishDraft(command);
    expect(await publishDraft(command)).toEqual(made);
  });
  test('[X8] a publish repeated after the offer was removed has changed nothing', async () => {
    const { publishDraft, changeOffer, filled } = open();
    const command = { seller: ann, draftId: (await filled()).id };
    const { offerId, changed } = (await publishDraft(command))._unsafeUnwrap();
    expect(changed).toBe(true);
    const id = 'r' as CommandId;
    (await changeOffer({ offerId, command: { kind: 'remove', id, by: 'seller' } }))._unsafeUnwrap();
    expect((await publishDraft(command))._unsafeUnwrap()).toMatchObject({
      offerId,
      status: 'removed',
      changed: false,
    });
  });
  test('[G2] trap: two publishes of one draft at the same time make one offer', async () => {
    const { publishDraft, filled, stores, time } = open();
    const command = { seller: ann, draftId: (await filled()).id };
    const both = Promise.all([publishDraft(command), publishDraft(command)]);
    await time.advance(1_000);
    const [a, b] = await both;
    expect(a._unsafeUnwrap()).toEqual(b._unsafeUnwrap());
    expect((await stores.cabinet.counts(ann))._unsafeUnwrap().all).toBe(1);
  });
  test("[G2] another one's draft, and one that is nowhere, are not found", async () => {
    const { publishDraft, filled } = open();
    const { id } = await filled();
    const notFound = err({ kind: 'DraftNotFound', draftId: id });
    expect(await publishDraft({ seller: 'bob' as SellerId, draftId: id })).toEqual(notFound);
    await publishDraft({ seller: ann, draftId: id });
    expect(await publishDraft({ seller: 'bob' as SellerId, draftId: id })).toEqual(notFound);
  });
  test('[G4] a draft with mistakes stays a draft, and every mistake is told', async () => {
    const { publishDraft, currentDraft, stores } = open();
    const { id } = (await currentDraft({ userId: 'ann' }))._unsafeUnwrap();
    const refused = (await publishDraft({ seller: ann, draftId: id }))._unsafeUnwrapErr();
    expect(refused).toMatchObject({
      violations: [{ path: 'title' }, { path: 'contacts' }, { path: 'category', code: 'Missing' }],
    });
    expect((await currentDraft({ userId: 'ann' }))._unsafeUnwrap().id).toBe(id);
    expect((await stores.cabinet.counts(ann))._unsafeUnwrap().all).toBe(0);
  });
  test('[G2] a reset for another category does not touch a draft that was published meanwhile', async () => {
    const { publishDraft, currentDraft, filled, time } = open();
    const { id } = await filled();
    const both = Promise.all([
      publishDraft({ seller: ann, draftId: id }),
      currentDraft({ userId: 'ann', category: 'all' as CategoryId }),
    ]);
    await time.advance(1_000);
    const [published, current] = await both;
    if (published.isOk()) expect(current._unsafeUnwrap().id).not.toBe(id);
    else expect(published.error.kind).toBe('InvalidInput');
  });
  test("[G2] abandoned anonymous drafts are purged; one that is saved meanwhile, and users' drafts, stay", async () => {
    const { currentDraft, purgeDrafts, stores, time, filled } = open();
    await filled();
    for (const anonymousId of ['old', 'older', 'fresh']) await currentDraft({ anonymousId });
    await time.advance(31 * 24 * 3_600_000);
    const [before] = (await stores.drafts.abandoned(Infinity, 1))._unsafeUnwrap();
    const fresh = { kind: 'anonymous', id: 'fresh' } as const;
    const [slot] = (await stores.drafts.slots([fresh]))._unsafeUnwrap();
    const saved = { ...slot!.draft!, lastUpdateUs: time.nowMs() * 1_000 };
    await stores.offers.commit([
      { changes: [], drafts: { slots: [{ owner: fresh, expectedVersion: 1, draft: saved }], erased: [] } },
    ]);
    expect(before).toBeDefined();
    expect(await purgeDrafts(1)).toEqual(ok({ purged: 1, forgotten: 0, more: true }));
    expect(await purgeAll(purgeDrafts, 10, new AbortController().signal)).toEqual(
      ok({ purged: 1, forgotten: 0 }),
    );
    const left = await stores.drafts.slots([user, fresh, { kind: 'anonymous', id: 'old' }]);
    expect(left._unsafeUnwrap().map(({ draft }) => draft !== undefined)).toEqual([true, true, false]);
  });
  test('[G2] what a draft became is forgotten after its days', async () => {
    const { filled, publishDraft, purgeDrafts, stores, time } = open();
    const draft = await filled();
    await publishDraft({ seller: ann, draftId: draft.id });
    expect((await purgeDrafts(10))._unsafeUnwrap().forgotten).toBe(0);
    await time.advance(8 * 24 * 3_600_000);
    expect((await purgeDrafts(10))._unsafeUnwrap().forgotten).toBe(1);
    expect(await stores.drafts.publishedAs(draft.id)).toEqual(ok(undefined));
  });
});

test('[X14] [G2] a clock that runs behind never takes back when a draft was last saved', async () => {
  const { filled, stores } = open();
  const draft = await filled();
  const newName = countingIds('late').next;
  const behind = openTestGost({ stores, clock: manualClock(500).clock, random: seededRandom(1), newName });
  const saved = await behind.saveDraft({ owner: user, draftId: draft.id, category, content });
  expect(saved._unsafeUnwrap().lastUpdateUs).toBe(draft.lastUpdateUs);
});
