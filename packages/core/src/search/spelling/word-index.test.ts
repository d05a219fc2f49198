import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editCost } from './edit-cost.ts';
import { otherLayout } from './keyboard.ts';
import { editsMaxOf, WordIndex } from './word-index.ts';

/** Few letters, so that words are often near each other. */
const word = fc.string({ unit: fc.constantFrom('а', 'б', 'в', 'о'), minLength: 1, maxLength: 10 });

test('[S6] the precomputed deletions find a nearest word whenever comparing with all words finds one', () => {
  fc.assert(
    fc.property(fc.uniqueArray(word, { maxLength: 30 }), word, (list, typed) => {
      const words = list.map((one, at) => ({ word: one, documents: at + 1 }));
      const edits = editsMaxOf(typed.length);
      const ranks = words.flatMap(({ word: one, documents }) => {
        const near = edits === 0 ? undefined : editCost(typed, one, edits);
        return near ? [near.cost - 0.05 * Math.log2(1 + documents)] : [];
      });
      const found = WordIndex.of(words).nearest(typed);
      const rank = found && found.cost - 0.05 * Math.log2(1 + found.documents);
      expect(rank).toEqual(ranks.length === 0 ? undefined : Math.min(...ranks));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['диван', 'диван', 0],
  ['деван', 'диван', 1],
  ['дивна', 'диван', 1],
  ['дива', 'диван', 1],
  ['ддиван', 'диван', 1],
  ['вадин', 'диван', undefined],
])('[S6] from %s to %s it is %s mistakes', (typed, meant, edits) => {
  expect(editCost(typed, meant, 2)?.edits).toBe(edits);
});

test('[S6] letters that sound alike are the likelier mistake', () => {
  expect(editCost('деван', 'диван', 1)!.cost).toBeLessThan(editCost('дуван', 'диван', 1)!.cost);
  const index = WordIndex.of([
    { word: 'собака', documents: 2 },
    { word: 'рубака', documents: 2 },
  ]);
  expect(index.nearest('сабака')?.word).toBe('собака');
});

test('[S6] the same keys in the other layout, also where a letter is a punctuation mark', () => {
  expect(otherLayout('lbdfy')).toBe('диван');
  expect(otherLayout(',e[')).toBe('бух');
  expect(otherLayout('ыфьыгтп')).toBe('samsung');
  expect(otherLayout('диван1')).toBeUndefined();
  expect(otherLayout('диvan')).toBeUndefined();
});
