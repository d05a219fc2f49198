import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRecent } from './recent.ts';

const WEIGHT_MAX = 10;
const recent = () => makeRecent<string, number>({ weightMax: WEIGHT_MAX, weightOf: (value) => value });

describe('makeRecent', () => {
  test('the least recently used value is dropped first', () => {
    const some = recent();
    for (const [key, value] of [
      ['a', 3],
      ['b', 4],
      ['c', 3],
    ] as const)
      some.put(key, value);
    expect(some.get('a')).toBe(3);
    some.put('d', 1);
    expect(['a', 'b', 'c', 'd'].map(some.get)).toEqual([3, undefined, 3, 1]);
  });
  test('a value above the limit is not kept and removes the old value of its key', () => {
    const some = recent();
    some.put('a', 1);
    some.put('a', 11);
    expect([some.get('a'), some.weight()]).toEqual([undefined, 0]);
  });
  test('any use keeps the limit and returns the value put last', () => {
    const step = fc.record({
      what: fc.constantFrom('put', 'get', 'forget'),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      value: fc.nat(12),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const some = recent();
        const last = new Map<string, number>();
        for (const { what, key, value } of steps) {
          if (what === 'put') {
            some.put(key, value);
            last.set(key, value);
          } else if (what === 'forget') {
            some.forget(key);
            last.delete(key);
          } else expect([undefined, last.get(key)]).toContain(some.get(key));
          expect(some.weight()).toBeLessThanOrEqual(WEIGHT_MAX);
        }
        const kept = ['a', 'b', 'c', 'd'].reduce((sum, key) => sum + (some.get(key) ?? 0), 0);
        expect(some.weight()).toBe(kept);
      }),
      { numRuns: 1000 },
    );
  });
});
