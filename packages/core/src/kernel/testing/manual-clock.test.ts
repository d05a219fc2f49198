import { expect, test } from 'vitest';
import { sleep } from '../ports/clock.port.ts';
import { countingIds } from './counting-ids.ts';
import { manualClock } from './manual-clock.ts';
import { seededRandom } from './seeded-random.ts';

test('[B1] timers run by time, and timers of the same time in the order they were set', async () => {
  const { clock, advance } = manualClock(1_000);
  const ran: string[] = [];
  clock.after(20, () => ran.push(`b at ${clock.nowMs()}`));
  clock.after(10, () => ran.push(`a at ${clock.nowMs()}`));
  clock.after(20, () => ran.push(`c at ${clock.nowMs()}`));
  clock.after(21, () => ran.push('not yet'));
  await advance(20);
  expect(ran).toEqual(['a at 1010', 'b at 1020', 'c at 1020']);
  expect(clock.nowMs()).toBe(1_020);
});

test('[B1] a timer that is set by a timer after many promises runs at its time', async () => {
  const { clock, advance, pending } = manualClock();
  const woken: number[] = [];
  const loop = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await sleep(clock, 10);
      for (let hop = 0; hop < 200; hop++) await Promise.resolve();
      woken.push(clock.nowMs());
    }
  };
  void loop();
  await advance(100);
  expect(woken).toEqual([10, 20, 30]);
  expect(pending()).toBe(0);
});

test('[B1] a cancelled timer never runs', async () => {
  const { clock, advance, pending } = manualClock();
  const cancel = clock.after(5, () => expect.unreachable());
  cancel();
  cancel();
  await advance(10);
  expect(pending()).toBe(0);
});

test('[B1] an abort ends a sleep at once and leaves no timer behind', async () => {
  const { clock, advance, pending } = manualClock();
  const stop = new AbortController();
  let awake = false;
  void sleep(clock, 1_000, stop.signal).then(() => (awake = true));
  stop.abort();
  await advance(0);
  expect([awake, pending()]).toEqual([true, 0]);
});

test('[B1] a seed gives the same numbers on every machine', () => {
  const { below } = seededRandom(7);
  expect(Array.from({ length: 8 }, () => below(1_000))).toMatchInlineSnapshot(`
    [
      609,
      933,
      66,
      487,
      376,
      409,
      112,
      430,
    ]
  `);
  const counts = new Array<number>(10).fill(0);
  for (let i = 0; i < 100_000; i++) counts[below(10)]! += 1;
  expect(Math.min(...counts)).toBeGreaterThan(9_500);
});

test('[B1] counted ids are predictable', () => {
  const ids = countingIds('offer');
  expect([ids.next(), ids.next()]).toEqual(['offer-1', 'offer-2']);
});
