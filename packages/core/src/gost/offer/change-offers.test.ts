import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { unavailable, type Unavailable } from '../../kernel/index.ts';
import { countingIds, manualClock, memoryDatabase, seededRandom } from '../../kernel/testing.ts';
import type { OfferStore } from '../commit/offer-store.port.ts';
import { openTestGost } from '../testing/open-test-gost.ts';
import { inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import { commandId, sampleContent, sampleOfferId, sampleSeller } from '../testing/samples.ts';
import { makeBulkChange } from './bulk-change.use-case.ts';

const hide = (name: string, n = 1) => ({
  offerId: sampleOfferId(n),
  command: { kind: 'hide', id: commandId(name), by: 'seller', named: true } as const,
});
const open = async (offers = 3, wrap: (store: OfferStore) => OfferStore = (store) => store) => {
  const time = manualClock(2_000);
  const db = memoryDatabase({ nowMs: time.nowMs });
  const stores = inMemoryGostStores(db);
  const changes = Array.from({ length: offers }, (_, n) =>
    publication(n + 1, { nowUs: n + 1, lifetimeUs: 1_000_000, shards: 1 }),
  );
  await stores.offers.commit([{ changes }]);
  const needs = {
    clock: time.clock,
    random: seededRandom(1),
    newName: countingIds().next,
    settings: { shards: 1 },
  };
  const gost = openTestGost({ ...needs, stores: { ...stores, offers: wrap(stores.offers) } });
  const loaded = async (n: number) => (await stores.offers.load([sampleOfferId(n)]))._unsafeUnwrap()[0]!;
  return { time, db, stores, loaded, ...gost };
};
/** Commits, and the first answers are lost. */
const losing =
  (answers: number) =>
  (store: OfferStore): OfferStore => ({
    ...store,
    commit: (units) =>
      store
        .commit(units)
        .andThen((outcomes): Result<typeof outcomes, Unavailable> =>
          answers-- > 0 ? err(unavailable('lost')) : ok(outcomes),
        ),
  });

describe('change an offer', () => {
  test('[G1] a command is carried out; again it answers the same; an unknown offer is not found', async () => {
    const { changeOffer } = await open();
    const done = await changeOffer(hide('a'));
    expect(done._unsafeUnwrap()).toMatchObject({ version: 2, status: 'hidden', changed: true });
    expect(await changeOffer(hide('a'))).toEqual(done);
    expect((await changeOffer(hide('b')))._unsafeUnwrap()).toMatchObject({ version: 2, changed: false });
    expect(await changeOffer(hide('a', 99))).toEqual(err({ kind: 'NotFound', offerId: sampleOfferId(99) }));
  });
  test('[G1] a lost answer is settled by the id of the command: applied once', async () => {
    const { changeOffer, loaded, time } = await open(1, losing(1));
    const done = changeOffer({
      ...hide('a'),
      command: { kind: 'edit', id: commandId('e'), by: 'seller', content: sampleContent({ title: 'red' }) },
    });
    await time.advance(1_000);
    expect((await done)._unsafeUnwrap()).toMatchObject({ version: 2, changed: true });
    expect((await loaded(1)).version).toBe(2);
  });
  test('[G1] twenty commands at the same time: each is applied or says why not, versions without gaps', async () => {
    const { changeOffer, loaded, time } = await open(1);
    const all = Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        changeOffer({
          offerId: sampleOfferId(1),
          command: {
            kind: 'edit',
            id: commandId(n),
            by: 'seller',
            content: sampleContent({ title: `t ${n}` }),
          },
        }),
      ),
    );
    await time.advance(60_000);
    const done = (await all).filter((one) => one.isOk()).length;
    expect((await loaded(1)).version).toBe(1 + done);
    expect(done).toBeGreaterThan(4);
  });
  test('[G1] who loses a race in its own process decides anew on what the winner left, without a look at the store', async () => {
    let loads = 0;
    const { changeOffer, loaded } = await open(1, (store) => ({
      ...store,
      load: (ids, known) => (loads++, store.load(ids, known)),
    }));
    const edit = (name: string) =>
      changeOffer({
        offerId: sampleOfferId(1),
        command: {
          kind: 'edit',
          id: commandId(name),
          by: 'seller',
          content: sampleContent({ title: `title ${name}` }),
        },
      });
    await edit('first');
    const before = loads;
    for (const outcome of await Promise.all(['a', 'b'].map(edit))) expect(outcome.isOk()).toBe(true);
    expect([(await loaded(1)).version, loads - before]).toEqual([4, 0]);
  });
  test('[G1] a store that is away is an error, after so many tries', async () => {
    let tries = 0;
    const away = (): ResultAsync<never, Unavailable> => (tries++, errAsync(unavailable('away')));
    const { changeOffer, time } = await open(1, (store) => ({ ...store, commit: away }));
    const outcome = changeOffer(hide('a'));
    await time.advance(60_000);
    expect((await outcome)._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable' });
    expect(tries).toBe(8);
  });
  test('[G1] a change that the store can never take fails alone, at once; the others are committed', async () => {
    const refusing = (store: OfferStore): OfferStore => ({
      ...store,
      commit: (units) =>
        units.some(({ changes }) => changes[0]!.offer.id === sampleOfferId(2))
          ? errAsync(unavailable('bad row', undefined, false))
          : store.commit(units),
    });
    const { changeOffers, loaded } = await open(3, refusing);
    const verdicts = await changeOffers([1, 2, 3].map((n) => hide('a', n)));
    expect(verdicts.map((verdict) => (verdict.isOk() ? verdict.value.status : verdict.error))).toEqual([
      'hidden',
      unavailable('bad row', undefined, false),
      'hidden',
    ]);
    expect((await loaded(3)).version).toBe(2);
  });
});

describe('many offers', () => {
  test('[G16] every item has a verdict of its own', async () => {
    const { changeOffers } = await open(3);
    const orders = [hide('a'), hide('a', 99), hide('a', 2), { ...hide('b', 3) }];
    orders[3] = { ...orders[3]!, command: { ...orders[3]!.command, seller: sampleSeller(2) } as never };
    const verdicts = await changeOffers(orders);
    expect(verdicts.map((verdict) => (verdict.isOk() ? verdict.value.status : verdict.error.kind))).toEqual([
      'hidden',
      'NotFound',
      'hidden',
      'NotOwner',
    ]);
  });
  test('[G16] a bulk command names each offer once and takes so many', async () => {
    const { changeOffers } = await open(2);
    const bulk = makeBulkChange(changeOffers);
    const ids = [1, 2, 1, 9].map(sampleOfferId);
    const command = {
      seller: sampleSeller(),
      action: 'hide',
      commandId: commandId('bulk'),
      named: true,
    } as const;
    const first = (await bulk({ ...command, offerIds: ids }))._unsafeUnwrap();
    expect(first.map(({ offerId }) => offerId)).toEqual([1, 2, 9].map(sampleOfferId));
    expect(first.map(({ verdict }) => verdict.isOk())).toEqual([true, true, false]);
    expect(await bulk({ ...command, offerIds: ids })).toEqual(ok(first));
    const foreign = (await bulk({ ...command, seller: sampleSeller(2), offerIds: ids }))._unsafeUnwrap();
    expect(foreign[0]!.verdict).toEqual(err({ kind: 'NotOwner', offerId: sampleOfferId(1) }));
    const many = Array.from({ length: 1_001 }, (_, n) => sampleOfferId(n));
    expect((await bulk({ ...command, offerIds: many }))._unsafeUnwrapErr()).toMatchObject({
      violations: [{ path: 'offer_ids', code: 'TooMany' }],
    });
  });
  test('[G16] commands to one offer follow each other', async () => {
    const { changeOffers } = await open(1);
    const again = { ...hide('b'), command: { kind: 'activate', id: commandId('b'), by: 'seller' } as const };
    const verdicts = await changeOffers([hide('a'), again, hide('c')]);
    expect(verdicts.map((verdict) => verdict._unsafeUnwrap().version)).toEqual([2, 3, 4]);
  });
  test('[G16] a thousand changes take 20 commits of 50', async () => {
    const commits: number[] = [];
    const counting = (store: OfferStore): OfferStore => ({
      ...store,
      commit: (units) => (commits.push(units.length), store.commit(units)),
    });
    const { changeOffers, stores } = await open(1_000, counting);
    const verdicts = await changeOffers(Array.from({ length: 1_000 }, (_, n) => hide('a', n + 1)));
    expect(verdicts.every((verdict) => verdict.isOk())).toBe(true);
    expect(commits).toEqual(Array.from({ length: 20 }, () => 50));
    expect((await stores.cabinet.counts(sampleSeller()))._unsafeUnwrap()).toMatchObject({
      active: 0,
      inactive: 1_000,
    });
  });
  test('[G13] what is due expires, once', async () => {
    const { expireDue, stores } = await open(3);
    expect(await expireDue(0, 2)).toEqual(ok({ found: 2, expired: 2, failed: 0 }));
    expect(await expireDue(0, 2)).toEqual(ok({ found: 1, expired: 1, failed: 0 }));
    expect(await expireDue(0, 2)).toEqual(ok({ found: 0, expired: 0, failed: 0 }));
    expect((await stores.cabinet.totals(sampleSeller()))._unsafeUnwrap()).toMatchObject({
      Active: 0,
      Expired: 3,
    });
  });
});

describe('opinions of moderation', () => {
  const ban = (opinionVersion: number) => ({
    offerId: sampleOfferId(1),
    command: {
      kind: 'ban',
      id: commandId(`opinion/${opinionVersion}`),
      by: 'moderation',
      editable: true,
      reasons: ['spam'],
      opinionVersion,
    } as const,
  });
  test('[X8] an opinion that is delivered again has changed nothing', async () => {
    const { changeOffer } = await open();
    expect((await changeOffer(ban(1)))._unsafeUnwrap()).toMatchObject({ version: 2, changed: true });
    expect((await changeOffer(ban(1)))._unsafeUnwrap()).toMatchObject({ version: 2, changed: false });
    expect((await changeOffer(ban(2)))._unsafeUnwrap()).toMatchObject({ version: 3, changed: false });
  });
  test('[X8] an opinion whose answer was lost has changed something', async () => {
    const { changeOffer, time } = await open(1, losing(1));
    const answer = changeOffer(ban(1));
    await time.advance(1_000);
    expect((await answer)._unsafeUnwrap()).toMatchObject({ version: 2, changed: true });
  });
});
