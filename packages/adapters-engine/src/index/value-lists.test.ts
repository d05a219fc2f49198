import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasBit, setBit } from './bits.ts';
import { keepBits, markSet, ValueLists } from './value-lists.ts';

const WORDS = 20;
/** Documents of a value that lie together, or anywhere. */
const documents = fc.oneof(
  fc.uniqueArray(fc.nat({ max: 32 * WORDS - 1 }), { minLength: 1, maxLength: 40 }),
  fc
    .tuple(fc.nat({ max: 32 * WORDS - 200 }), fc.integer({ min: 1, max: 200 }))
    .map(([first, count]) => Array.from({ length: count }, (_, at) => first + at)),
);
const window = fc
  .tuple(fc.nat({ max: WORDS }), fc.nat({ max: WORDS }))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

test('[V8] documents by value: what was put in is marked and kept, within the words that are asked for', () => {
  const shapes = new Set<string>();
  fc.assert(
    fc.property(documents, documents, window, (holders, others, [from, to]) => {
      const one = new Set(holders);
      const more = new Set(others);
      const lists = ValueLists.of(4, (take) => {
        for (let document = 0; document < 32 * WORDS; document++) {
          if (one.has(document)) take(document, 2);
          take(document, more.has(document) ? 3 : 0);
        }
      })!;
      const set = lists.find(2)!;
      shapes.add(set.list ? 'list' : 'bits');
      expect([set.first, set.last, set.count]).toEqual([Math.min(...one), Math.max(...one), one.size]);
      expect([lists.find(1), lists.find(0)]).toEqual([undefined, undefined]);
      const marked = new Uint32Array(WORDS);
      markSet(set, marked, from, to);
      const kept = new Uint32Array(WORDS);
      for (const document of more) setBit(kept, document);
      if (!set.list) keepBits(set.first, set.bits, kept, from, to);
      for (let document = 0; document < 32 * WORDS; document++) {
        const isInside = document >= 32 * from && document < 32 * to;
        expect(hasBit(marked, document)).toBe(isInside && one.has(document));
        if (!set.list)
          expect(hasBit(kept, document)).toBe(more.has(document) && (!isInside || one.has(document)));
      }
    }),
    { numRuns: 300 },
  );
  expect([...shapes].sort()).toEqual(['bits', 'list']);
});
