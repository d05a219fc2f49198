import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareFreshness, freshnessFault, isFresher, type Freshness } from './freshness.ts';

const place: fc.Arbitrary<Freshness> = fc.record({
  epoch: fc.nat({ max: 2 }),
  version: fc.oneof(fc.nat({ max: 2 }), fc.constant(Number.MAX_SAFE_INTEGER)),
  timestampMs: fc.nat({ max: 2 }),
  kind: fc.constantFrom('document', 'expiry'),
});
const key = ({ epoch, version, timestampMs, kind }: Freshness): string =>
  [epoch, version, timestampMs, kind === 'expiry' ? 1 : 0]
    .map((part) => String(part).padStart(17, '0'))
    .join();

test('[V2] the comparison is the order of (epoch, version, timestamp, kind)', () => {
  fc.assert(
    fc.property(place, place, (a, b) => {
      const expected = key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
      expect(Math.sign(compareFreshness(a, b))).toBe(expected);
    }),
    { numRuns: 5000 },
  );
});

test('[V2] the greatest of a history wins in any order', () => {
  fc.assert(
    fc.property(fc.array(place, { minLength: 1 }), fc.infiniteStream(fc.nat()), (history, chance) => {
      const mixed = [...history, ...history].sort(() => (chance.next().value % 3) - 1);
      let kept: Freshness | undefined;
      for (const one of mixed) if (isFresher(one, kept)) kept = one;
      expect(key(kept!)).toBe(history.map(key).sort().at(-1));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  [{ version: -1 }, 'version'],
  [{ timestampMs: 0.5 }, 'timestampMs'],
  [{ epoch: 2 ** 53 }, 'epoch'],
  [{}, undefined],
])('%j is no place by its %s', (part, fault) => {
  expect(freshnessFault({ epoch: 1, version: 1, timestampMs: 1, kind: 'document', ...part })).toBe(fault);
});
