import type { Analyzer } from '../engine/analyzer.port.ts';
import { fieldsOf, type IndexSchema } from '../engine/index-schema.ts';
import type { IndexWord, WordsPlan } from '../engine/search-engine.port.ts';
import type { ReferenceDocument } from './reference-query.ts';

/** The words of the documents, by looking at every word of every document. */
export const referenceWords = (
  schema: IndexSchema,
  documents: readonly ReferenceDocument[],
  analyzer: Analyzer,
  { prefix = '', after, limit }: WordsPlan,
): readonly IndexWord[] => {
  const termOf = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { fields } of documents) {
    const seen = new Set<string>();
    for (const [name] of fieldsOf(schema, 'text')) {
      const text = fields[name];
      if (typeof text !== 'string') continue;
      const terms = analyzer.terms(text);
      for (const [at, word] of analyzer.words(text).entries()) {
        if (terms[at] === '') continue;
        termOf.set(word, terms[at]!);
        seen.add(terms[at]!);
      }
    }
    for (const term of seen) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return [...termOf]
    .filter(([word]) => word.startsWith(prefix) && (after === undefined || word > after))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([word, term]) => ({ word, documents: counts.get(term)! }));
};
