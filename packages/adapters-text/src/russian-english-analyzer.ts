import { foldText, wordsOf, type Analyzer } from '@doska/core/vasgen';
import { newStemmer } from 'snowball-stemmers';
import { stopWords } from './stop-words.ts';

const CYRILLIC = /^[а-я]+$/;
const LATIN = /^[a-z]+$/;
/** Stemming takes 5 µs and words repeat, so stems are cached. This many words take about 30 MB. */
const CACHED_WORDS_MAX = 200_000;

/**
 * Russian and English Snowball stems of folded words. A word with digits or mixed scripts (128гб, x5) is not stemmed. A stop
 * word gives an empty term. Every engine uses the same analyzer, so all engines find the same documents.
 */
export const russianEnglishAnalyzer = ({ cachedWordsMax = CACHED_WORDS_MAX } = {}): Analyzer => {
  const russian = newStemmer('russian');
  const english = newStemmer('english');
  const termOf = (word: string): string => {
    if (stopWords.has(word)) return '';
    if (CYRILLIC.test(word)) return russian.stem(word);
    return LATIN.test(word) ? english.stem(word) : word;
  };
  // Two generations: when the young one is full, the old one is dropped. Used words move to the young one.
  let young = new Map<string, string>();
  let old = new Map<string, string>();
  const cached = (word: string): string => {
    const known = young.get(word);
    if (known !== undefined) return known;
    const term = old.get(word) ?? termOf(word);
    if (young.size >= cachedWordsMax / 2) [old, young] = [young, new Map<string, string>()];
    young.set(word, term);
    return term;
  };
  return {
    id: 'russian-english-2',
    terms: (text) => {
      const words = wordsOf(foldText(text));
      for (let at = 0; at < words.length; at++) words[at] = cached(words[at]!);
      return words;
    },
    words: (text) => wordsOf(foldText(text)),
  };
};
