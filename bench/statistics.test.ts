import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ratioOf, shuffled, spread } from './statistics.ts';

test.each([
  { name: 'one round', values: [3], out: { median: 3, min: 3, max: 3 } },
  { name: 'an odd number of rounds', values: [10, 1, 2], out: { median: 2, min: 1, max: 10 } },
  { name: 'an even number of rounds', values: [4, 1, 3, 2], out: { median: 2.5, min: 1, max: 4 } },
])('the middle and the ends of $name', ({ values, out }) => {
  expect(spread(values)).toEqual(out);
});

test('a ratio is the median of the rounds’ ratios, not the ratio of medians', () => {
  // Medians: 20 / 20 = 1. Round by round the subject is twice as fast in two of three.
  expect(ratioOf([20, 200, 2], [10, 100, 20])).toEqual({ median: 2, min: 0.1, max: 2 });
});

test('no ratio without its baseline, no figure without rounds', () => {
  expect(() => ratioOf([1, 2], [1])).toThrow(/baseline/);
  expect(() => spread([])).toThrow(/rounds/);
});

test('a shuffle loses nothing and reaches every order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.infiniteStream(fc.nat()), (items, chance) => {
      const order = shuffled(items, (n) => (chance.next().value as number) % n);
      expect([...order].sort()).toEqual([...items].sort());
    }),
    { numRuns: 1000 },
  );
  const seen = new Set(
    Array.from({ length: 500 }, () =>
      shuffled('abc'.split(''), (n) => Math.floor(Math.random() * n)).join(''),
    ),
  );
  expect(seen.size).toBe(6);
});
