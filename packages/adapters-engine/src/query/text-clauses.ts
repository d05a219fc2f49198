import { inverseFrequency, type TextQuery } from '@doska/core/vasgen';
import type { SearchIndex } from '../index/search-index.ts';

/** One word of a query: the terms that satisfy it, and what they are worth together. */
export type Clause = { readonly terms: readonly number[]; readonly idf: number };
/** A place in a phrase: the terms that may stand there; undefined: any word. */
export type PhraseSlot = ReadonlySet<number> | undefined;

/** A word of the query with the living documents that hold one of its terms, at most. */
export type AskedWord = Clause & { readonly word: string; readonly documents: number };

export type TextCondition = {
  /** Every clause (`all`), or one of them. */
  readonly mode: 'all' | 'any';
  /** The rarest first. */
  readonly clauses: readonly Clause[];
  /** The words in the order of the query, each once, also those that no document holds. */
  readonly asked: readonly AskedWord[];
  readonly phrase?: readonly PhraseSlot[];
  /** Words that no document can satisfy: nothing matches. */
  readonly isEmpty: boolean;
  /** An unfinished word had more completions than are looked at. */
  readonly isCut: boolean;
};

const askedWord = (index: SearchIndex, word: string, terms: readonly number[], living: number): AskedWord => {
  const frequency = terms.reduce((sum, term) => sum + index.dictionary.frequency(term), 0);
  const documents = Math.min(living, frequency);
  return { word, terms, documents, idf: inverseFrequency(living, documents) };
};

const trimmed = (slots: readonly PhraseSlot[]): readonly PhraseSlot[] =>
  slots.slice(
    slots.findIndex((slot) => slot !== undefined),
    slots.findLastIndex((slot) => slot !== undefined) + 1,
  );

/** What the words of a query ask for; undefined when there are no words at all. */
export const textCondition = (
  index: SearchIndex,
  query: TextQuery,
  completionsMax: number,
): TextCondition | undefined => {
  const terms = index.analyzer.terms(query.words);
  const words = index.analyzer.words(query.words);
  if (words.length === 0) return undefined;
  const last = terms.length - 1;
  const documents = index.aliveCount;
  let isCut = false;
  /** Undefined: a stop word. Empty: a word that no document holds. */
  const found = terms.map((term, at): readonly number[] | undefined => {
    if (!query.prefixLast || at !== last) {
      if (term === '') return undefined;
      const id = index.dictionary.find(term);
      return id > 0 && index.dictionary.frequency(id) > 0 ? [id] : [];
    }
    const own = index.dictionary.find(term);
    const completions = index.dictionary.startingWith(words[last]!);
    const living = [...new Set([own, ...completions])].filter(
      (id) => id > 0 && index.dictionary.frequency(id) > 0,
    );
    isCut = living.length > completionsMax;
    return isCut
      ? living
          .sort((a, b) => index.dictionary.frequency(b) - index.dictionary.frequency(a))
          .slice(0, completionsMax)
      : living;
  });
  const mode = query.match === 'any' ? 'any' : 'all';
  const asked = found.flatMap((ids, at) => {
    const isFirst = (query.prefixLast && at === last) || terms.indexOf(terms[at]!) === at;
    return ids && isFirst ? [askedWord(index, words[at]!, ids, documents)] : [];
  });
  const possible = mode === 'any' ? asked.filter((one) => one.terms.length > 0) : asked;
  return {
    mode,
    asked,
    clauses: [...possible].sort((a, b) => b.idf - a.idf),
    ...(query.match === 'phrase' ? { phrase: trimmed(found.map((ids) => ids && new Set(ids))) } : {}),
    isEmpty: possible.length === 0 || possible.some((one) => one.terms.length === 0),
    isCut,
  };
};
