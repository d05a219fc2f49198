import type { Analyzer } from '../engine/analyzer.port.ts';
import { explainBoosts, explainConditions, type Explanation } from '../engine/explanation.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { documentsOf, type ReferenceIndex } from './reference-index.ts';
import { passes, referenceQuery } from './reference-query.ts';
import { referenceText } from './reference-text.ts';

/** Why a document is or is not found, by running the whole query over every document. */
export const referenceExplanation = (
  index: ReferenceIndex,
  analyzer: Analyzer,
  plan: QueryPlan,
  pk: string,
): Explanation => {
  const { generation } = index;
  const row = index.rows.get(pk);
  if (!row) return { generation, state: 'unknown' };
  const { freshness, document } = row;
  if (!document) return { generation, state: 'tombstone', freshness };
  const documents = documentsOf(index);
  const { fields, texts } = document;
  const corpus = documents.map((one) => one.texts);
  const text = plan.text && referenceText(plan.text, analyzer, corpus);
  const { hits } = referenceQuery(documents, analyzer, { ...plan, page: { limit: documents.length } });
  const at = hits.findIndex((hit) => hit.pk === pk);
  const boosts = explainBoosts(plan, (field) => fields[field]);
  const relevance = text ? text.score(texts) : 1;
  return {
    generation,
    state: 'alive',
    freshness,
    matches: at >= 0,
    ...(text && { text: { holds: text.matches(texts), words: text.explain(texts) } }),
    conditions: explainConditions(plan, {
      holds: (filter) => passes(filter, fields),
      valueOf: (field) => fields[field],
    }),
    relevance,
    boosts,
    score: boosts.reduce((score, { factor }) => score * factor, relevance),
    ...(at >= 0 && { rank: at + 1 }),
  };
};
