import { fieldsOf, type IndexSchema } from '../engine/index-schema.ts';
import type { DocumentFields } from '../engine/index-change.ts';
import type { ExplainedWord } from '../engine/explanation.ts';
import type { TextQuery } from '../engine/query-plan.ts';
import { fieldWeight, inverseFrequency, lengthCode, TERM_COUNT_MAX, termScore } from '../engine/relevance.ts';
import type { Analyzer } from '../engine/analyzer.port.ts';

export type ReferenceText = {
  readonly name: string;
  readonly boost: number;
  readonly terms: readonly string[];
};
/** A word of the query, and the terms that satisfy it. */
type Clause = { readonly word: string; readonly takes: (term: string) => boolean };

export const analyzed = (schema: IndexSchema, analyzer: Analyzer, fields: DocumentFields): ReferenceText[] =>
  fieldsOf(schema, 'text').map(([name, { boost = 1 }]) => {
    const value = fields[name];
    return { name, boost, terms: typeof value === 'string' ? analyzer.terms(value) : [] };
  });

const clausesOf = (query: TextQuery, analyzer: Analyzer): Clause[] => {
  const terms = analyzer.terms(query.words);
  const words = analyzer.words(query.words);
  const last = terms.length - 1;
  const exact = query.prefixLast ? terms.slice(0, last) : terms;
  const clauses = [...new Set(exact.filter((term) => term !== ''))].map((wanted): Clause => ({
    word: words[terms.indexOf(wanted)]!,
    takes: (term) => term === wanted,
  }));
  if (query.prefixLast)
    clauses.push({
      word: words[last]!,
      takes: (term) => term !== '' && (term === terms[last] || term.startsWith(words[last]!)),
    });
  return clauses;
};

const isPhraseIn = (query: TextQuery, analyzer: Analyzer, terms: readonly string[]): boolean => {
  const wanted = analyzer.terms(query.words);
  const words = analyzer.words(query.words);
  const last = wanted.length - 1;
  const slots = wanted.map((term, at) => {
    if (query.prefixLast && at === last)
      return (found: string) => found !== '' && (found === term || found.startsWith(words[last]!));
    return term === '' ? undefined : (found: string) => found === term;
  });
  const first = slots.findIndex((slot) => slot !== undefined);
  const slotsEnd = slots.findLastIndex((slot) => slot !== undefined);
  if (first < 0) return false;
  const inner = slots.slice(first, slotsEnd + 1);
  return terms.some((_, from) =>
    inner.every((slot, at) => from + at < terms.length && (!slot || slot(terms[from + at]!))),
  );
};

export type TextMatch = {
  readonly matches: (texts: readonly ReferenceText[]) => boolean;
  readonly score: (texts: readonly ReferenceText[]) => number;
  readonly explain: (texts: readonly ReferenceText[]) => readonly ExplainedWord[];
};

/** Words as the port promises them, by looking at every word of every document. */
export const referenceText = (
  query: TextQuery,
  analyzer: Analyzer,
  corpus: readonly (readonly ReferenceText[])[],
): TextMatch | undefined => {
  if (analyzer.words(query.words).length === 0) return undefined;
  const clauses = clausesOf(query, analyzer);
  const average = (at: number): number =>
    corpus.reduce((sum, texts) => sum + (texts[at]?.terms.length ?? 0), 0) / Math.max(1, corpus.length);
  // A document from before a text field was added has no words in it.
  const fields = Math.max(0, ...corpus.map((texts) => texts.length));
  const averages = Array.from({ length: fields }, (_, at) => average(at));
  const frequency = ({ takes }: Clause): number => {
    const seen = corpus.map((texts) => new Set(texts.flatMap(({ terms }) => terms.filter(takes))));
    return Math.min(
      corpus.length,
      seen.reduce((sum, terms) => sum + terms.size, 0),
    );
  };
  const frequencies = clauses.map(frequency);
  const has = (texts: readonly ReferenceText[], { takes }: Clause): boolean =>
    texts.some(({ terms }) => terms.some(takes));
  const countIn = ({ terms }: ReferenceText, { takes }: Clause): number => {
    const counts = new Map<string, number>();
    for (const term of terms) if (takes(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const count = [...counts.values()].reduce((all, one) => all + Math.min(one, TERM_COUNT_MAX), 0);
    return Math.min(count, TERM_COUNT_MAX);
  };
  const explain = (texts: readonly ReferenceText[]): readonly ExplainedWord[] =>
    clauses.map((clause, which) => {
      const weighted = texts.reduce(
        (weight, text, at) =>
          weight +
          countIn(text, clause) * fieldWeight(text.boost, lengthCode(text.terms.length), averages[at]!),
        0,
      );
      return {
        word: clause.word,
        holds: has(texts, clause),
        documents: frequencies[which]!,
        counts: texts
          .map((text) => ({ field: text.name, count: countIn(text, clause) }))
          .filter(({ count }) => count > 0),
        score: termScore(inverseFrequency(corpus.length, frequencies[which]!), weighted),
      };
    });
  return {
    matches: (texts) => {
      if (clauses.length === 0) return false;
      if (query.match === 'phrase') return texts.some(({ terms }) => isPhraseIn(query, analyzer, terms));
      if (query.match === 'any') return clauses.some((clause) => has(texts, clause));
      return clauses.every((clause) => has(texts, clause));
    },
    explain,
    score: (texts) => explain(texts).reduce((sum, { score }) => sum + score, 0),
  };
};
