import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { memoryDatabase } from '../../kernel/testing.ts';
import type { Offer } from '../offer/offer.ts';
import type { OfferStore } from './offer-store.port.ts';
import { alteration, inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import { sampleOfferId } from '../testing/samples.ts';
import { rememberingOffers } from './offer-memory.store.ts';

const ids = [1, 2].map(sampleOfferId);
/** A store that two processes share; `travelled` counts the offers that the first was sent. */
const setup = (bytesMax = 1_000_000) => {
  const { offers } = inMemoryGostStores(memoryDatabase({ nowMs: () => 0 }));
  let travelled = 0;
  const counted: OfferStore = {
    ...offers,
    load: (asked, known) =>
      offers.load(asked, known).map((found) => {
        travelled += found.filter((offer) => known?.(offer.id) !== offer).length;
        return found;
      }),
  };
  const memory = rememberingOffers(counted, { bytesMax });
  const load = async (): Promise<readonly Offer[]> => (await memory.load(ids))._unsafeUnwrap();
  const took = async (work: () => Promise<unknown>): Promise<number> => {
    const before = travelled;
    await work();
    return travelled - before;
  };
  return { offers, memory, load, took };
};

describe('rememberingOffers', () => {
  test('[G1] what was read, and what was written here, does not travel again', async () => {
    const { offers, memory, load, took } = setup();
    const one = publication(1);
    const two = publication(2);
    await offers.commit([{ changes: [one] }]);
    await memory.commit([{ changes: [two] }]);
    expect(await took(load)).toBe(1);
    expect(await took(load)).toBe(0);
    expect(await load()).toEqual([one.offer, two.offer]);
  });
  test('[G1] what another process has written is seen at once', async () => {
    const { offers, memory, load, took } = setup();
    const made = publication(1);
    await memory.commit([{ changes: [made] }]);
    const hidden = alteration(made.offer, { kind: 'hide' });
    await offers.commit([{ changes: [hidden] }]);
    expect(await took(load)).toBe(1);
    expect(await load()).toEqual([hidden.offer]);
  });
  test('[G1] what was refused is not remembered', async () => {
    const { offers, memory, load } = setup();
    const made = publication(1);
    await memory.commit([{ changes: [made] }]);
    const hidden = alteration(made.offer, { kind: 'hide' });
    const removed = alteration(made.offer, { kind: 'remove' });
    await offers.commit([{ changes: [hidden] }]);
    expect((await memory.commit([{ changes: [removed] }]))._unsafeUnwrap()[0]!.isErr()).toBe(true);
    expect(await load()).toEqual([hidden.offer]);
  });
  test('[G1] an answer that was overtaken does not push out a newer offer', async () => {
    const { offers } = inMemoryGostStores(memoryDatabase({ nowMs: () => 0 }));
    const made = publication(1);
    await offers.commit([{ changes: [made] }]);
    const known: (number | undefined)[] = [];
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const memory = rememberingOffers(
      {
        ...offers,
        load: (asked, of) => {
          known.push(of?.(ids[0]!)?.version);
          return offers.load(asked).map((found) => arrived.then(() => found));
        },
      },
      { bytesMax: 1_000_000 },
    );
    const late = memory.load(ids);
    await memory.commit([{ changes: [alteration(made.offer, { kind: 'hide' })] }]);
    arrive();
    expect((await late)._unsafeUnwrap().map(({ version }) => version)).toEqual([1]);
    await memory.load(ids);
    expect(known).toEqual([undefined, 2]);
  });
  test('[G17] what has left the store is forgotten', async () => {
    const { offers } = inMemoryGostStores(memoryDatabase({ nowMs: () => 0 }));
    let gone = false;
    const memory = rememberingOffers(
      { ...offers, load: (asked, of) => offers.load(gone ? [] : asked, of) },
      { bytesMax: 1_000_000 },
    );
    await memory.commit([{ changes: [publication(1)] }]);
    expect(memory.recall(ids[0]!)?.version).toBe(1);
    gone = true;
    await memory.load(ids);
    expect(memory.recall(ids[0]!)).toBeUndefined();
  });
  test('[G1] without room nothing is remembered, and everything is right', async () => {
    const { memory, load, took } = setup(0);
    await memory.commit([{ changes: [publication(1)] }]);
    expect(await took(load)).toBe(1);
    expect(await took(load)).toBe(1);
    expect(await memory.load([])).toEqual(ok([]));
  });
});
