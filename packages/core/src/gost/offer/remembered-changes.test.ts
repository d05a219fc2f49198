import { err, ok, type Result } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { unavailable, type Unavailable } from '../../kernel/index.ts';
import { countingIds, manualClock, memoryDatabase, seededRandom } from '../../kernel/testing.ts';
import type { OfferStore } from '../commit/offer-store.port.ts';
import { openTestGost } from '../testing/open-test-gost.ts';
import { inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import { commandId, sampleContent, sampleOfferId } from '../testing/samples.ts';

const offerId = sampleOfferId(1);
const order = (kind: 'hide' | 'activate' | 'remove', name: string) => ({
  offerId,
  command: { kind, id: commandId(name), by: 'seller', named: true } as const,
});
/** Two processes with a memory each over one store; trips of the first are counted, and may lose their answers. */
const open = async () => {
  const time = manualClock(2_000);
  const stores = inMemoryGostStores(memoryDatabase({ nowMs: time.nowMs }));
  await stores.offers.commit([{ changes: [publication(1, { nowUs: 1, lifetimeUs: 1e9, shards: 1 })] }]);
  const trips: string[] = [];
  let lost = 0;
  const counted: OfferStore = {
    ...stores.offers,
    load: (ids, known) => {
      trips.push('load');
      return stores.offers.load(ids, known);
    },
    commit: (units) => {
      trips.push('commit');
      return stores.offers
        .commit(units)
        .andThen((outcomes): Result<typeof outcomes, Unavailable> =>
          lost-- > 0 ? err(unavailable('lost')) : ok(outcomes),
        );
    },
  };
  const gostOf = (offers: OfferStore) =>
    openTestGost({
      clock: time.clock,
      random: seededRandom(1),
      newName: countingIds().next,
      settings: { shards: 1 },
      stores: { ...stores, offers },
    });
  const ours = gostOf(counted);
  const theirs = gostOf(stores.offers);
  const took = async <T>(work: () => PromiseLike<T>): Promise<{ answer: T; trips: string }> => {
    trips.length = 0;
    const answer = await work();
    return { answer, trips: trips.join(' ') };
  };
  return { ours, theirs, took, loseAnswers: (answers: number) => (lost = answers) };
};

describe('changes of an offer that is remembered', () => {
  test('[G1] the second change takes one trip', async () => {
    const { ours, took } = await open();
    expect(await took(() => ours.changeOffer(order('hide', 'a')))).toMatchObject({ trips: 'load commit' });
    const { answer, trips } = await took(() => ours.changeOffer(order('activate', 'b')));
    expect(answer._unsafeUnwrap()).toMatchObject({ version: 3, status: 'active', changed: true });
    expect(trips).toBe('commit');
  });
  test('[G1] what was changed elsewhere is seen: the guess is refused, and decided anew', async () => {
    const { ours, theirs, took } = await open();
    await ours.changeOffer(order('hide', 'a'));
    await theirs.changeOffer(order('activate', 'b'));
    const { answer, trips } = await took(() => ours.changeOffer(order('remove', 'c')));
    expect(answer._unsafeUnwrap()).toMatchObject({ version: 4, status: 'removed' });
    expect(trips).toBe('commit load commit');
  });
  test('[G1] nothing is refused, and nothing is left undone, on a memory alone', async () => {
    const { ours, theirs, took } = await open();
    await ours.changeOffer(order('hide', 'a'));
    await theirs.changeOffer(order('activate', 'b'));
    // It is hidden as far as we remember: there would be nothing to do.
    const { answer, trips } = await took(() => ours.changeOffer(order('hide', 'c')));
    expect(answer._unsafeUnwrap()).toMatchObject({ version: 4, status: 'hidden', changed: true });
    expect(trips).toBe('load commit');
    await theirs.changeOffer(order('remove', 'd'));
    const content = sampleContent({ title: 'too late' });
    const late = ours.changeOffer({
      offerId,
      command: { kind: 'edit', id: commandId('e'), by: 'seller', content },
    });
    expect(await late).toEqual(err({ kind: 'NotFound', offerId }));
  });
  test('[G1] a command that was applied elsewhere is answered with what it made', async () => {
    const { ours, theirs } = await open();
    await ours.changeOffer(order('hide', 'a'));
    const done = await theirs.changeOffer(order('activate', 'b'));
    expect(await ours.changeOffer(order('activate', 'b'))).toEqual(done);
  });
  test('[G1] a guess whose answer is lost is settled by the id of the command: applied once', async () => {
    const { ours, took, loseAnswers } = await open();
    await ours.changeOffer(order('hide', 'a'));
    loseAnswers(1);
    const { answer, trips } = await took(() => ours.changeOffer(order('activate', 'b')));
    expect(answer._unsafeUnwrap()).toMatchObject({ version: 3, changed: true });
    expect(trips).toBe('commit load');
  });
});
