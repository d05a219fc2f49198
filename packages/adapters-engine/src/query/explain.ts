import {
  explainBoosts,
  explainConditions,
  fieldWeight,
  sortOf,
  TERM_COUNT_MAX,
  termScore,
  type ExplainedDocument,
  type ExplainedWord,
  type Explanation,
  type FieldValue,
  type QueryPlan,
} from '@doska/core/vasgen';
import { hasBit } from '../index/bits.ts';
import type { SearchIndex } from '../index/search-index.ts';
import type { Segment } from '../index/segment.ts';
import { WordReader } from '../index/word-stream.ts';
import { releaseViews } from './dense-views.ts';
import { execute, type ExecuteLimits, type Watch } from './execute.ts';
import { holdsPhrase } from './phrases.ts';
import { resolveFilter, testOf } from './resolved-filter.ts';
import { SortOrder, type Place } from './sort-order.ts';
import { textCondition, type AskedWord, type TextCondition } from './text-clauses.ts';

type Slot = { readonly segment: Segment; readonly at: number };

/** How often the terms of a word stand in a field of the document that was read. */
const countIn = (words: Uint32Array, terms: readonly number[]): number => {
  const counts = new Map<number, number>();
  for (const term of words) if (terms.includes(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  let count = 0;
  for (const one of counts.values()) count += Math.min(one, TERM_COUNT_MAX);
  return Math.min(count, TERM_COUNT_MAX);
};

const explainWord = (
  index: SearchIndex,
  { segment, at }: Slot,
  reader: WordReader,
  { word, terms, documents, idf }: AskedWord,
): ExplainedWord => {
  const living = Math.max(1, index.aliveCount);
  const counts: { field: string; count: number }[] = [];
  let weighted = 0;
  for (const [field, { name, boost }] of index.layout.texts.entries()) {
    const count = countIn(reader.field(field), terms);
    if (count === 0) continue;
    counts.push({ field: name, count });
    weighted += count * fieldWeight(boost, segment.lengths[field]![at]!, index.words[field]! / living);
  }
  return { word, holds: counts.length > 0, documents, counts, score: termScore(idf, weighted) };
};

const explainText = (index: SearchIndex, slot: Slot, text: TextCondition): ExplainedDocument['text'] => {
  const reader = new WordReader();
  slot.segment.readWords(slot.at, reader);
  const words = text.asked.map((word) => explainWord(index, slot, reader, word));
  const { phrase } = text;
  const isPhrase = !phrase || index.layout.texts.some((_, field) => holdsPhrase(phrase, reader.field(field)));
  const hold = text.mode === 'any' ? words.some(({ holds }) => holds) : words.every(({ holds }) => holds);
  return { holds: !text.isEmpty && hold && isPhrase, words };
};

type Rank = { readonly isFound: boolean; readonly rank: number; readonly cut: 'time' | 'memory' | undefined };
/** Whether the document is a hit, and how many hits stand before it: two runs of the query, the first finds its score. */
const rankOf = (
  index: SearchIndex,
  plan: QueryPlan,
  { segment: own, at: document }: Slot,
  limits: ExecuteLimits,
): Rank => {
  const isText = (field: string): boolean => ['enum', 'string'].includes(index.spec.schema[field]!.kind);
  const order = new SortOrder(sortOf(plan), isText);
  const { facets: _, ...query } = plan;
  const run = (watch: Watch) => execute(index, { ...query, page: { limit: 0 } }, limits, watch);
  let found: Place | undefined;
  const first = run((segment, docs, places, count, scores) => {
    if (segment !== own) return;
    for (let at = 0; at < count; at++)
      if (docs[places[at]!] === document) found = { segment, document, score: scores[places[at]!]! };
  });
  if (!found) return { isFound: false, rank: 0, cut: first.cut };
  const target = found;
  let before = 0;
  const second = run((segment, docs, places, count, scores) => {
    for (let at = 0; at < count; at++) {
      const place = { segment, document: docs[places[at]!]!, score: scores[places[at]!]! };
      if (order.compare(place, target) < 0) before++;
    }
  });
  return { isFound: true, rank: before + 1, cut: second.cut ?? first.cut };
};

/** Why a document is or is not a hit of a checked plan. */
export const explain = (
  index: SearchIndex,
  plan: QueryPlan,
  pk: string,
  limits: ExecuteLimits,
): Explanation => {
  const { generation } = index;
  const slot = index.slotOf(pk);
  if (!slot) return { generation, state: 'unknown' };
  const { segment, at } = slot;
  const freshness = segment.freshnessAt(at, index.spec.epoch);
  if (!hasBit(segment.alive, at)) return { generation, state: 'tombstone', freshness };
  const valueOf = (field: string): FieldValue | undefined => {
    const value = segment.column(field)?.valueAt(at) as FieldValue | Float32Array | undefined;
    return value instanceof Float32Array ? [...value] : value;
  };
  const condition = plan.text && textCondition(index, plan.text, limits.completions);
  const text = condition && explainText(index, slot, condition);
  const conditions = explainConditions(plan, {
    valueOf,
    holds: (filter) => testOf(resolveFilter(index.layout, filter), segment)(at),
  });
  releaseViews();
  const boosts = explainBoosts(plan, valueOf);
  const relevance = text ? text.words.reduce((sum, { score }) => sum + score, 0) : 1;
  const { isFound, rank, cut } = rankOf(index, plan, slot, limits);
  return {
    generation,
    state: 'alive',
    freshness,
    matches: isFound,
    ...(text && { text }),
    conditions,
    relevance,
    boosts,
    score: boosts.reduce((score, { factor }) => score * factor, relevance),
    ...(isFound && !cut && { rank }),
    ...(cut && { cut }),
  };
};
