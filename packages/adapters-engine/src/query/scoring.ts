import { fieldWeight, K1, type Boost } from '@doska/core/vasgen';
import type { NumberColumn } from '../index/columns.ts';
import type { SearchIndex } from '../index/search-index.ts';
import type { Segment } from '../index/segment.ts';
import type { Clause } from './text-clauses.ts';

const LENGTH_CODES = 256;

/** The relevance of candidates: `domain/relevance.ts`, with everything that a query fixes computed beforehand. */
export class Scoring {
  readonly #clauses: readonly Clause[];
  readonly #boosts: readonly Boost[];
  /** What an occurrence weighs, by text field and length code. */
  readonly #weights: readonly Float64Array[];

  constructor(index: SearchIndex, clauses: readonly Clause[], boosts: readonly Boost[]) {
    this.#clauses = clauses;
    this.#boosts = boosts;
    const documents = Math.max(1, index.aliveCount);
    this.#weights = index.layout.texts.map(({ boost }, field) =>
      Float64Array.from({ length: LENGTH_CODES }, (_, code) =>
        fieldWeight(boost, code, index.words[field]! / documents),
      ),
    );
  }

  /** Scores the documents of `places` to `scores`, place by place. */
  score(
    segment: Segment,
    docs: Uint32Array,
    countsOf: (clause: number) => Uint32Array,
    places: Uint32Array,
    count: number,
    scores: Float64Array,
  ): void {
    for (let at = 0; at < count; at++) scores[places[at]!] = 0;
    for (const [clause, { idf }] of this.#clauses.entries())
      this.#addClause(segment, docs, countsOf(clause), idf * (K1 + 1), places, count, scores);
    for (const boost of this.#boosts) applyBoost(boost, segment, docs, places, count, scores);
  }

  #addClause(
    segment: Segment,
    docs: Uint32Array,
    counts: Uint32Array,
    worth: number,
    places: Uint32Array,
    count: number,
    scores: Float64Array,
  ): void {
    const fields = this.#weights.length;
    const firstWeights = this.#weights[0]!;
    const firstLengths = segment.lengths[0]!;
    for (let at = 0; at < count; at++) {
      const place = places[at]!;
      const packed = counts[place]!;
      const document = docs[place]!;
      let weighted = 0;
      if ((packed & 15) !== 0) weighted = (packed & 15) * firstWeights[firstLengths[document]!]!;
      for (let field = 1, rest = packed >>> 4; field < fields && rest !== 0; field++, rest >>>= 4)
        if ((rest & 15) !== 0)
          weighted += (rest & 15) * this.#weights[field]![segment.lengths[field]![document]!]!;
      scores[place]! += (worth * weighted) / (K1 + weighted);
    }
  }
}

const applyBoost = (
  boost: Boost,
  segment: Segment,
  docs: Uint32Array,
  places: Uint32Array,
  count: number,
  scores: Float64Array,
): void => {
  const { values } = segment.column(boost.field) as NumberColumn;
  const { weight } = boost;
  for (let at = 0; at < count; at++) {
    const place = places[at]!;
    const value = values[docs[place]!]!;
    if (value !== value) continue; // missing: NaN
    if (boost.kind === 'factor') scores[place]! *= 1 + weight * value;
    else scores[place]! *= 1 + weight * 2 ** (-Math.max(0, boost.now - value) / boost.halfLife);
  }
};
