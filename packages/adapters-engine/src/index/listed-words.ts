import type { IndexWord, WordsPlan } from '@doska/core/vasgen';
import type { SearchIndex } from './search-index.ts';

const WORDS_A_SLICE = 4_000;

const firstOf = (words: string[], limit: number): string[] => words.sort().slice(0, limit);

/**
 * One page of the words of living documents, in slices. The words have no order in memory, so every page looks at all of
 * them and keeps the first ones that it has seen.
 */
export function* listedWords(
  index: SearchIndex,
  { prefix = '', after, limit }: WordsPlan,
): Generator<void, readonly IndexWord[]> {
  const { dictionary } = index;
  let page: string[] = [];
  /** No word behind this one is on the page. */
  let last: string | undefined;
  for (let from = 0; from < dictionary.wordCount; from += WORDS_A_SLICE) {
    for (const word of dictionary.wordSlice(from, from + WORDS_A_SLICE)) {
      if (!word.startsWith(prefix) || (after !== undefined && word <= after)) continue;
      if (last !== undefined && word >= last) continue;
      if (dictionary.frequency(dictionary.termOfWord(word)) === 0) continue;
      page.push(word);
    }
    if (page.length >= 2 * limit) {
      page = firstOf(page, limit);
      last = page.at(-1);
    }
    yield;
  }
  // Documents may have died meanwhile: a word without any is left out.
  return firstOf(page, limit).flatMap((word) => {
    const documents = dictionary.frequency(dictionary.termOfWord(word));
    return documents > 0 ? [{ word, documents }] : [];
  });
}
