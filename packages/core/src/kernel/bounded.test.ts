import fc from 'fast-check';
import { err, errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import { expect, test } from 'vitest';
import { mapBounded } from './bounded.ts';
import { sleep } from './ports/clock.port.ts';
import { manualClock } from './testing/manual-clock.ts';

type Item = { readonly takesMs: number; readonly fails: boolean };
const anyItem: fc.Arbitrary<Item> = fc.record({
  takesMs: fc.nat(20),
  fails: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

test('[B1] keeps the order and the limit, and starts nothing after the first failure', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyItem, { maxLength: 20 }),
      fc.integer({ min: 1, max: 6 }),
      async (items, limit) => {
        const { clock, advance } = manualClock();
        let running = 0;
        let mostRunning = 0;
        let failed = false;
        const taken: number[] = [];
        const work = (item: Item, index: number): ResultAsync<number, number> => {
          expect(failed).toBe(false);
          taken.push(index);
          mostRunning = Math.max(mostRunning, ++running);
          const end = (): Result<number, number> => {
            running--;
            failed ||= item.fails;
            return item.fails ? err(index) : ok(index);
          };
          return new ResultAsync(sleep(clock, item.takesMs).then(end));
        };
        const result = mapBounded(items, limit, work);
        void result.then(() => expect(running).toBe(0));
        await advance(1_000);
        const outcome = await result;
        expect(mostRunning).toBeLessThanOrEqual(limit);
        expect(taken).toEqual(taken.map((_, i) => i));
        if (outcome.isOk()) expect(outcome.value).toEqual(items.map((_, i) => i));
        else expect(items[outcome.error]!.fails).toBe(true);
        expect(outcome.isOk()).toBe(items.every(({ fails }) => !fails));
        if (items.length >= limit && !items.some(({ fails }) => fails)) expect(mostRunning).toBe(limit);
      },
    ),
    { numRuns: 500 },
  );
});

test('[B1] an empty list succeeds', async () => {
  expect(await mapBounded([], 3, () => okAsync(1))).toEqual(ok([]));
});

test('[B1] the first failure is returned', async () => {
  expect(await mapBounded([1, 2, 3], 3, (n) => errAsync<void, number>(n))).toEqual(err(1));
});

test('[B1] an exception of the work is thrown and stops the rest', async () => {
  const taken: number[] = [];
  const work = (n: number): ResultAsync<number, never> => {
    taken.push(n);
    throw new Error('boom');
  };
  await expect(mapBounded([1, 2, 3], 1, work)).rejects.toThrow('boom');
  expect(taken).toEqual([1]);
  expect(() => mapBounded([1], 0, (n) => okAsync(n))).toThrow(RangeError);
});
