import fc from 'fast-check';
import { expect, test } from 'vitest';
import { publication } from '../testing/gost-stores.ts';
import { unitBytes, wavesOf, type CommitUnit } from './commit-unit.ts';

const made = Array.from({ length: 5 }, (_, n) => publication(n));
const anyUnit = fc
  .subarray([0, 1, 2, 3, 4], { minLength: 1 })
  .map((ns): CommitUnit => ({ changes: ns.map((n) => made[n]!) }));
const offersOf = ({ changes }: CommitUnit): string[] => changes.map(({ offer }) => offer.id);

test('[G1] no group holds an offer twice, units of one offer keep their order, and none is lost', () => {
  fc.assert(
    fc.property(fc.array(anyUnit, { maxLength: 8 }), (units) => {
      const waves = wavesOf(units);
      for (const wave of waves) {
        const ids = wave.flatMap(offersOf);
        expect(new Set(ids).size).toBe(ids.length);
      }
      const flat = waves.flat();
      expect(flat).toHaveLength(units.length);
      for (const { offer } of made) {
        const claims = (list: readonly CommitUnit[]) =>
          list.filter((unit) => offersOf(unit).includes(offer.id));
        expect(claims(flat)).toEqual(claims(units));
      }
    }),
    { numRuns: 300 },
  );
});
test('the size of a unit follows its content', () => {
  const bytesOf = (description: string): number =>
    unitBytes({ changes: [publication(1, { content: { description } })] });
  // Into the record and into the queue, two bytes a letter.
  expect(bytesOf('ю'.repeat(10_000)) - bytesOf('')).toBe(2 * 20_000);
});
