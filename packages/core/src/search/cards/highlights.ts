import type { Analyzer } from '../../vasgen/index.ts';

/** A part of a title, in UTF-16 code units. */
export type Highlight = { readonly start: number; readonly length: number };
type TitleWord = Highlight & { readonly terms: readonly string[] };
type Titled = { readonly title: string };

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a card's title that have a stem in common with the words that were searched for. */
export type MarkTitle = (card: Titled) => readonly Highlight[];

/** Marks words of titles. The title of a card is taken apart once, because cards are remembered and shown again and again. */
export const makeHighlighter = (analyzer: Pick<Analyzer, 'terms'>): ((words: string) => MarkTitle) => {
  const known = new WeakMap<Titled, readonly TitleWord[]>();
  const wordsOf = (card: Titled): readonly TitleWord[] => {
    const found = known.get(card);
    if (found) return found;
    const words = [...card.title.matchAll(WORD)].map(({ 0: word, index: start }) => ({
      start,
      length: word.length,
      terms: analyzer.terms(word),
    }));
    known.set(card, words);
    return words;
  };
  return (words) => {
    const wanted = new Set(analyzer.terms(words).filter((term) => term !== ''));
    if (wanted.size === 0) return () => [];
    return (card) =>
      wordsOf(card).flatMap(({ start, length, terms }) =>
        terms.some((term) => wanted.has(term)) ? [{ start, length }] : [],
      );
  };
};
