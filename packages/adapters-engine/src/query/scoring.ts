import { fieldWeight, K1, type Boost } from '@doska/core/vasgen';
import type { SearchIndex } from '../index/search-index.ts';
import type { Segment } from '../index/segment.ts';
import type { WordScore } from './broad-word.ts';
import { numbersOf } from './dense-views.ts';
import type { Clause } from './text-clauses.ts';

const LENGTH_CODES = 256;

const weightsOf = (boost: number, averageLength: number): Float64Array => {
  const weights = new Float64Array(LENGTH_CODES);
  for (let code = 0; code < LENGTH_CODES; code++) weights[code] = fieldWeight(boost, code, averageLength);
  return weights;
};

/** The relevance of candidates: `engine/relevance.ts`, with everything that a query fixes computed beforehand. */
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
      weightsOf(boost, index.words[field]! / documents),
    );
  }

  /** For a query of one word without conditions; undefined where it takes the longer way. */
  wordScore(): WordScore | undefined {
    const [clause, ...moreClauses] = this.#clauses;
    const [boost, ...moreBoosts] = this.#boosts;
    if (!clause || moreClauses.length > 0 || moreBoosts.length > 0 || this.#weights.length > 2)
      return undefined;
    if (boost && boost.kind !== 'factor') return undefined;
    const worth = clause.idf * (K1 + 1);
    const once = (this.#weights[1] ?? NOTHING).map((weight) => (worth * weight) / (K1 + weight));
    return { worth, weights: this.#weights, once, boost };
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
    const [first, second] = this.#weights;
    const fields = {
      weights: this.#weights,
      lengths: segment.lengths,
      first: first!,
      second: second ?? NOTHING,
      firstLengths: segment.lengths[0]!,
      secondLengths: segment.lengths[1] ?? segment.lengths[0]!,
    };
    for (let at = 0; at < count; at++) scores[places[at]!] = 0;
    for (let nth = 0; nth < this.#clauses.length; nth++)
      addClause(fields, docs, countsOf(nth), this.#clauses[nth]!.idf * (K1 + 1), places, count, scores);
    applyBoosts(this.#boosts, segment, docs, places, count, scores);
  }
}

/** Where no word is asked for, relevance is 1. */
export const scoreByBoosts = (
  boosts: readonly Boost[],
  segment: Segment,
  docs: Uint32Array,
  places: Uint32Array,
  count: number,
  scores: Float64Array,
): void => {
  for (let at = 0; at < count; at++) scores[places[at]!] = 1;
  applyBoosts(boosts, segment, docs, places, count, scores);
};

type TextFields = {
  readonly weights: readonly Float64Array[];
  readonly lengths: readonly Uint8Array[];
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly firstLengths: Uint8Array;
  readonly secondLengths: Uint8Array;
};
const NOTHING = new Float64Array(LENGTH_CODES);

/** Most indexes have two text fields: those are without a loop. */
const addClause = (
  { weights, lengths, first, second, firstLengths, secondLengths }: TextFields,
  docs: Uint32Array,
  counts: Uint32Array,
  worth: number,
  places: Uint32Array,
  count: number,
  scores: Float64Array,
): void => {
  for (let at = 0; at < count; at++) {
    const place = places[at]!;
    const packed = counts[place]!;
    const document = docs[place]!;
    let weighted =
      (packed & 15) * first[firstLengths[document]!]! +
      ((packed >>> 4) & 15) * second[secondLengths[document]!]!;
    if (packed >>> 8 !== 0)
      for (let field = 2; field < weights.length; field++)
        weighted += ((packed >>> (4 * field)) & 15) * weights[field]![lengths[field]![document]!]!;
    scores[place] = scores[place]! + (worth * weighted) / (K1 + weighted);
  }
};

const applyBoosts = (
  boosts: readonly Boost[],
  segment: Segment,
  docs: Uint32Array,
  places: Uint32Array,
  count: number,
  scores: Float64Array,
): void => {
  for (const boost of boosts) applyBoost(boost, segment, docs, places, count, scores);
};

const applyBoost = (
  boost: Boost,
  segment: Segment,
  docs: Uint32Array,
  places: Uint32Array,
  count: number,
  scores: Float64Array,
): void => {
  const values = numbersOf(segment, boost.field);
  const { weight } = boost;
  if (boost.kind === 'factor') {
    for (let at = 0; at < count; at++) {
      const place = places[at]!;
      const value = values[docs[place]!]!;
      if (value === value) scores[place] = scores[place]! * (1 + weight * value); // NaN is missing
    }
    return;
  }
  for (let at = 0; at < count; at++) {
    const place = places[at]!;
    const value = values[docs[place]!]!;
    if (value === value)
      scores[place]! *= 1 + weight * 2 ** (-Math.max(0, boost.now - value) / boost.halfLife);
  }
};
