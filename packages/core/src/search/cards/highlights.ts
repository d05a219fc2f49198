import type { Analyzer } from '../../vasgen/index.ts';

/** A part of a title, in UTF-16 code units. */
export type Highlight = { readonly start: number; readonly length: number };

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a title that have a stem in common with the words that were searched for. */
export const highlightsOf = (
  title: string,
  words: string,
  analyzer: Pick<Analyzer, 'terms'>,
): readonly Highlight[] => {
  const wanted = new Set(analyzer.terms(words).filter((term) => term !== ''));
  if (wanted.size === 0) return [];
  return [...title.matchAll(WORD)].flatMap(({ 0: word, index: start }) =>
    analyzer.terms(word).some((term) => wanted.has(term)) ? [{ start, length: word.length }] : [],
  );
};
