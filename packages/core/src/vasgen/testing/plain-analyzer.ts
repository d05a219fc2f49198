import { foldText, wordsOf } from '../engine/fold-text.ts';
import type { Analyzer } from '../engine/analyzer.port.ts';

const STOP = new Set(['и', 'в', 'the']);
/** A stemmer small enough to reason about: one ending off. */
const stem = (word: string): string => (word.length > 3 ? word.replace(/(ами|ов|ы|а|s)$/, '') : word);

/** Folding as in production, three stop words and a toy stemmer: for tests of engines, which take any analyzer. */
export const plainAnalyzer: Analyzer = {
  id: 'plain-1',
  terms: (text) => wordsOf(foldText(text)).map((word) => (STOP.has(word) ? '' : stem(word))),
  words: (text) => wordsOf(foldText(text)),
};
