import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KnownWord } from '../spelling/word-index.ts';
import { WordPrefixes } from './word-prefixes.ts';

const anyWord = fc.string({ unit: fc.constantFrom('а', 'б', 'в', 'z'), minLength: 1, maxLength: 4 });
const anyWords = fc
  .uniqueArray(fc.record({ word: anyWord, documents: fc.integer({ min: 1, max: 3 }) }), {
    selector: ({ word }) => word,
    maxLength: 40,
  })
  .map((words) => words.toSorted((a, b) => (a.word < b.word ? -1 : 1)));

test('[S11] completions equal looking at every word', () => {
  fc.assert(
    fc.property(
      anyWords,
      fc.string({ unit: fc.constantFrom('а', 'б', 'z'), maxLength: 2 }),
      fc.integer({ min: 1, max: 8 }),
      (words, prefix, limit) => {
        const expected: readonly KnownWord[] = words
          .filter(({ word }) => word.startsWith(prefix))
          .toSorted((a, b) => b.documents - a.documents || (a.word < b.word ? -1 : 1))
          .slice(0, limit);
        expect(new WordPrefixes(words).completions(prefix, limit)).toEqual(expected);
      },
    ),
    { numRuns: 1000 },
  );
});
