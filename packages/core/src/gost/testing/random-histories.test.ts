import { expect, test } from 'vitest';
import type { Clock } from '../../kernel/index.ts';
import { countingIds, memoryDatabase, seededRandom } from '../../kernel/testing.ts';
import { OFFER_UPDATES } from '../export/export-queue.port.ts';
import { openTestGost } from './open-test-gost.ts';
import { inMemoryGostStores } from './gost-stores.ts';
import { jsonGostCodecs } from './json-codecs.ts';
import { liveRandomly } from './random-histories.ts';
import { sampleSeller } from './samples.ts';
import { brokenLaws } from './store-laws.ts';
import type { OfferId } from '../offer/offer-id.ts';

/** Time that passes when it is waited for, and only then. */
const hurriedClock = (): Clock => {
  let nowMs = 1_000_000;
  return {
    nowMs: () => nowMs,
    after: (ms, work) => {
      const timer = setTimeout(() => {
        nowMs += ms;
        work();
      });
      return () => clearTimeout(timer);
    },
  };
};

test.each([1, 2, 3])(
  '[G6] [G11] trap: preset counts after random histories equal a recount (%i)',
  async (seed) => {
    const clock = hurriedClock();
    const stores = inMemoryGostStores(memoryDatabase(clock));
    const random = seededRandom(seed);
    const gost = openTestGost({
      stores,
      clock,
      random,
      newName: countingIds().next,
      settings: { shards: 1, lifetimeUs: 50_000 },
    });
    const seller = sampleSeller();
    await liveRandomly({ gost, seller, offers: 6, commands: 120, random, clock });
    const told = new Map<OfferId, number[]>();
    for (const { topic, key, value } of (await stores.queue.read(0, 1_000))._unsafeUnwrap()) {
      if (topic !== OFFER_UPDATES) continue;
      const { version } = jsonGostCodecs.view.decode(value)._unsafeUnwrap();
      told.set(key as OfferId, [...(told.get(key as OfferId) ?? []), version]);
    }
    expect(await brokenLaws(stores, seller, told)).toEqual([]);
    // A life in which nothing happens proves nothing.
    expect([...told.values()].flat().length).toBeGreaterThan(6);
  },
);
