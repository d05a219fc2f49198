import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { makePageTokens, unavailable, type Unavailable } from '../../kernel/index.ts';
import { countingIds, manualClock, memoryDatabase, seededRandom } from '../../kernel/testing.ts';
import type { OfferStore } from '../ports/offer-store.port.ts';
import { gostDesk } from '../testing/gost-desk.ts';
import {
  inMemoryGostStores,
  meddleInMemory,
  meddleTotalInMemory,
  publication,
} from '../testing/gost-stores.ts';
import { commandId, sampleContent, sampleOfferId, sampleSeller } from '../testing/samples.ts';
import { makeBulkChange } from './bulk-change.ts';
import { makeAuditCounts, repairSeller } from './counter-audit.ts';
import { makeGroupCommit } from './group-commit.ts';
import { makeListCabinet } from './list-cabinet.ts';

const hide = (name: string, n = 1) => ({
  ...{ offerId: sampleOfferId(n), command: { kind: 'hide', id: commandId(name), by: 'seller' } as const },
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
  const desk = gostDesk({ ...needs, stores: { ...stores, offers: wrap(stores.offers) } });
  const loaded = async (n: number) => (await stores.offers.load([sampleOfferId(n)]))._unsafeUnwrap()[0]!;
  return { time, db, stores, loaded, ...desk };
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
          ...{ kind: 'edit', id: commandId(name), by: 'seller' },
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
});

describe('many offers', () => {
  test('[G16] every item has a verdict of its own', async () => {
    const { changeOffers } = await open(3);
    const orders = [hide('a'), hide('a', 99), hide('a', 2), { ...hide('b', 3) }];
    orders[3] = { ...orders[3]!, command: { ...orders[3]!.command, seller: sampleSeller(2) } as never };
    const verdicts = await changeOffers(orders);
    expect(verdicts.map((verdict) => (verdict.isOk() ? verdict.value.status : verdict.error.kind))).toEqual([
      ...['hidden', 'NotFound', 'hidden', 'NotOwner'],
    ]);
  });
  test('[G16] a bulk command names each offer once and takes so many', async () => {
    const { changeOffers } = await open(2);
    const bulk = makeBulkChange(changeOffers);
    const ids = [1, 2, 1, 9].map(sampleOfferId);
    const command = { seller: sampleSeller(), action: 'hide', commandId: commandId('bulk') } as const;
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
  test('[G16] a thousand at once take as many commits as their bytes need', async () => {
    const { changeOffers, stores } = await open(1_000);
    const verdicts = await changeOffers(Array.from({ length: 1_000 }, (_, n) => hide('a', n + 1)));
    expect(verdicts.every((verdict) => verdict.isOk())).toBe(true);
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

describe('group commit', () => {
  const broken =
    (guilty: number, commits: number[]) =>
    (store: OfferStore): OfferStore => ({
      ...store,
      commit: (units) => {
        commits.push(units.length);
        const bad = units.some(({ changes }) => changes[0]!.offer.id === sampleOfferId(guilty));
        return bad ? errAsync(unavailable('bad row', undefined, false)) : store.commit(units);
      },
    });
  test('[G1] units of many callers are one commit, each with its own outcome', async () => {
    const commits: number[] = [];
    const { stores, time } = await open(0);
    const group = makeGroupCommit(broken(99, commits)(stores.offers), { clock: time.clock });
    const all = Promise.all([1, 2, 3, 1].map((n) => group.commit([{ changes: [publication(n)] }])));
    await time.advance(10);
    expect((await all).map((one) => one._unsafeUnwrap()[0]!.isOk())).toEqual([true, true, true, false]);
    expect(commits).toEqual([4]);
    await group.close();
  });
  test('[G1] an error of one unit is its own: halves find it, the others commit', async () => {
    const commits: number[] = [];
    const { stores, time } = await open(0);
    const group = makeGroupCommit(broken(3, commits)(stores.offers), { clock: time.clock });
    const all = Promise.all([1, 2, 3, 4].map((n) => group.commit([{ changes: [publication(n)] }])));
    await time.advance(10);
    expect((await all).map((one) => one.isOk())).toEqual([true, true, false, true]);
    expect(commits).toEqual([4, 2, 2, 1, 1]);
    await group.close();
  });
});

describe('cabinet', () => {
  test('[G6] pages with a token go through the list; a token of another list is refused', async () => {
    const { stores } = await open(5);
    const tokens = makePageTokens({
      sign: (text) => `s${text.length}`,
      verify: (text, seal) => seal === `s${text.length}`,
    });
    const list = makeListCabinet({ ...stores, tokens });
    const query = { seller: sampleSeller(), preset: 'active', pageSize: 2 } as const;
    const first = (await list(query))._unsafeUnwrap();
    const second = (await list({ ...query, pageToken: first.nextPageToken! }))._unsafeUnwrap();
    const third = (await list({ ...query, pageToken: second.nextPageToken! }))._unsafeUnwrap();
    expect([first, second, third].flatMap(({ offers }) => offers.map(({ id }) => id))).toEqual(
      [5, 4, 3, 2, 1].map(sampleOfferId),
    );
    expect(third.nextPageToken).toBeUndefined();
    const foreign = await list({ ...query, preset: 'all', pageToken: first.nextPageToken! });
    expect(foreign).toEqual(err({ kind: 'InvalidPageToken', reason: 'otherQuery' }));
    expect(await list({ ...query, preset: 'sold' })).toEqual(ok({ offers: [], nextPageToken: undefined }));
  });
  test('[G6] an audit says which counts were wrong, and they are right afterwards', async () => {
    const { stores, db } = await open(5);
    const list = { seller: sampleSeller(), preset: 'active' } as const;
    meddleInMemory(db, list, -2);
    const audit = makeAuditCounts(stores.cabinet);
    expect((await audit({ limit: 9 }))._unsafeUnwrap()).toEqual({
      ...{ checked: 2, drifted: [{ ...list, counted: 5, drift: -2 }], totals: [], next: undefined },
    });
    expect((await audit({ limit: 1 }))._unsafeUnwrap()).toMatchObject({
      drifted: [],
      next: { preset: 'all' },
    });
    meddleTotalInMemory(db, sampleSeller(), { total: 'Active', currency: '', by: 4 });
    expect((await audit({ limit: 9 }))._unsafeUnwrap().totals).toEqual([
      { seller: sampleSeller(), total: 'Active', currency: '', drift: 4 },
    ]);
    meddleInMemory(db, list, 1);
    meddleTotalInMemory(db, sampleSeller(), { total: 'Active', currency: '', by: -1 });
    expect((await repairSeller(stores.cabinet, sampleSeller()))._unsafeUnwrap()).toEqual({
      lists: [{ ...list, counted: 5, drift: 1 }],
      totals: [{ total: 'Active', currency: '', drift: -5 }],
    });
  });
});
