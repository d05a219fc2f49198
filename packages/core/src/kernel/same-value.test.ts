import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sameValue } from './same-value.ts';

/** The same text for what is the same, slowly: fields in order, those that are undefined left out. */
const spelled = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(spelled).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const fields = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields).filter((name) => fields[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${spelled(fields[name])}`)
    .join()}}`;
};
const primitive = fc.constantFrom(undefined, null, true, false, 0, 1, '', 'a', '0');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    primitive,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
}));

describe('sameValue', () => {
  test('agrees with a comparison of the canonical texts', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(sameValue(a, b)).toBe(spelled(a) === spelled(b));
        expect(sameValue(b, a)).toBe(sameValue(a, b));
      }),
      { numRuns: 1000 },
    );
  });
  test('a deep copy is equal', () => {
    fc.assert(
      fc.property(value, (a) => sameValue(a, structuredClone(a))),
      { numRuns: 1000 },
    );
  });
  test.each<[string, unknown, unknown, boolean]>([
    ['fields in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['a field that is undefined and none', { a: 1, b: undefined }, { a: 1 }, true],
    ['none and a field that is undefined', { a: 1 }, { a: 1, b: undefined }, true],
    ['one more field', { a: 1 }, { a: 1, b: 2 }, false],
    ['items in another order', [1, 2], [2, 1], false],
    ['an array and a record', [], {}, false],
    ['both zeros', 0, -0, true],
    ['no numbers', Number.NaN, Number.NaN, true],
    ['null and undefined', null, undefined, false],
  ])('%s', (_name, a, b, same) => {
    expect(sameValue(a, b)).toBe(same);
  });
});
