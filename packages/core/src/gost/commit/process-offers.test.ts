import { errAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { unavailable } from '../../kernel/index.ts';
import { manualClock, memoryDatabase } from '../../kernel/testing.ts';
import { inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import { sampleOfferId } from '../testing/samples.ts';
import type { OfferStore } from './offer-store.port.ts';
import { openProcessOffers } from './process-offers.store.ts';

const open = () => {
  const time = manualClock(2_000);
  return { time, store: inMemoryGostStores(memoryDatabase({ nowMs: time.nowMs })).offers };
};
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
test('[G1] units of many callers travel in one commit, each with its own outcome', async () => {
  const commits: number[] = [];
  const { store, time } = open();
  const offers = openProcessOffers(broken(99, commits)(store), { clock: time.clock });
  const all = Promise.all([1, 2, 3, 1].map((n) => offers.commit({ changes: [publication(n)] })));
  await time.advance(10);
  expect((await all).map((one) => one.isOk())).toEqual([true, true, true, false]);
  expect(commits).toEqual([4]);
  await offers.close();
});
test('[G1] a unit that the store can never take fails alone: the group is bisected, the others commit', async () => {
  const commits: number[] = [];
  const { store, time } = open();
  const offers = openProcessOffers(broken(3, commits)(store), { clock: time.clock });
  const all = Promise.all([1, 2, 3, 4].map((n) => offers.commit({ changes: [publication(n)] })));
  await time.advance(10);
  expect((await all).map((one) => one.isOk())).toEqual([true, true, false, true]);
  expect(commits).toEqual([4, 2, 2, 1, 1]);
  await offers.close();
});

test('[G1] after close no unit is accepted', async () => {
  const { store, time } = open();
  const offers = openProcessOffers(store, { clock: time.clock });
  await offers.close();
  expect((await offers.commit({ changes: [publication(1)] }))._unsafeUnwrapErr()).toMatchObject({
    kind: 'Unavailable',
  });
  expect((await store.load([sampleOfferId(1)]))._unsafeUnwrap()).toEqual([]);
});

test('[G5] the shards of the export queue are told of what was committed, and of nothing else', async () => {
  const { store, time } = open();
  const heard: number[] = [];
  const offers = openProcessOffers(broken(3, [])(store), {
    clock: time.clock,
    onQueued: (shards) => heard.push(...shards),
  });
  const changes = [1, 2, 3].map((n) => publication(n));
  const all = Promise.all(changes.map((change) => offers.commit({ changes: [change] })));
  await time.advance(10);
  await all;
  expect(heard).toEqual([...new Set(changes.slice(0, 2).map(({ shard }) => shard))]);
  await offers.close();
});
