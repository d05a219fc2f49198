import { inverseFrequency, type TextQuery } from '@doska/core/vasgen';
import type { SearchIndex } from '../index/search-index.ts';

/** One word of a query: the terms that satisfy it, and what they are worth together. */
export type Clause = { readonly terms: readonly number[]; readonly idf: number };
/** A place in a phrase: the terms that may stand there; undefined: any word. */
export type PhraseSlot = ReadonlySet<number> | undefined;

export type TextCondition = {
  /** Every clause (`all`), or one of them. */
  readonly mode: 'all' | 'any';
  /** The rarest first. */
  readonly clauses: readonly Clause[];
  readonly phrase?: readonly PhraseSlot[];
  /** Words that no document can satisfy: nothing matches. */
  readonly isEmpty: boolean;
  /** An unfinished word had more completions than are looked at. */
  readonly isCut: boolean;
};

const clauseOf = (index: SearchIndex, terms: readonly number[], documents: number): Clause => {
  const frequency = terms.reduce((sum, term) => sum + index.dictionary.frequency(term), 0);
  return { terms, idf: inverseFrequency(documents, Math.min(documents, frequency)) };
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
  const once = found.filter((ids, at) => {
    return ids && ((query.prefixLast && at === last) || terms.indexOf(terms[at]!) === at);
  }) as (readonly number[])[];
  const possible = mode === 'any' ? once.filter((ids) => ids.length > 0) : once;
  return {
    mode,
    clauses: possible.map((ids) => clauseOf(index, ids, documents)).sort((a, b) => b.idf - a.idf),
    ...(query.match === 'phrase' ? { phrase: trimmed(found.map((ids) => ids && new Set(ids))) } : {}),
    isEmpty: possible.length === 0 || possible.some((ids) => ids.length === 0),
    isCut,
  };
};
