import { K1, type Boost } from '@doska/core/vasgen';
import { hasBit } from '../index/bits.ts';
import type { PostingList } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import { numbersOf } from './dense-views.ts';
import type { TopHits } from './top-hits.ts';

/** What one word is worth: `worth` is its inverse frequency times k1 + 1, `weights` of an occurrence by field and length. */
export type WordScore = {
  readonly worth: number;
  readonly weights: readonly Float64Array[];
  /** The score of a single occurrence in the second text field, by length: most postings are that. */
  readonly once: Float64Array;
  readonly boost: Extract<Boost, { kind: 'factor' }> | undefined;
};

const NOTHING = new Float64Array(256);
const ONCE_IN_SECOND = 1 << 4;
/** Bounds are compared a little below what they are, so that rounding never excludes a document. */
const SLACK = 1e-9;

/** The least value of the boosting column with which a single occurrence of the most worth still reaches `least`. */
const valueFor = (least: number, most: number, weight: number): number => {
  const value = (least / most - 1) / weight;
  // Below zero more worth is less score, so nothing can be said.
  const isBound = weight > 0 && least >= 0 && Number.isFinite(value);
  return isBound ? value - SLACK * (1 + Math.abs(value)) : -Infinity;
};

/** Scores the living documents of a list of one word and offers them, straight from the postings. Returns how many there are. */
export const offerBroadWord = (
  { worth, weights, once, boost }: WordScore,
  segment: Segment,
  { data, from, to }: PostingList,
  top: TopHits,
): number => {
  const { alive } = segment;
  const isClean = segment.aliveCount === segment.count;
  const [first, second = NOTHING] = weights;
  const [firstLengths, secondLengths = segment.lengths[0]!] = segment.lengths;
  const values = boost ? numbersOf(segment, boost.field) : NOTHING;
  const weight = boost?.weight ?? 0;
  const most = once[segment.shortest[1] ?? 0]!;
  let { least } = top;
  let needed = valueFor(least, most, weight);
  let count = 0;
  for (let at = from; at < to; at++) {
    const posting = data[at]!;
    const document = posting >>> 16;
    if (!isClean && !hasBit(alive, document)) continue;
    count++;
    const packed = posting & 0xffff;
    let score: number;
    if (packed === ONCE_IN_SECOND) {
      // Most documents end here: one number is enough to see that they are not among the best.
      if (values[document]! < needed) continue;
      score = once[secondLengths[document]!]!;
    } else {
      const weighted =
        (packed & 15) * first![firstLengths![document]!]! +
        (packed >>> 4) * second[secondLengths[document]!]!;
      score = (worth * weighted) / (K1 + weighted);
    }
    if (boost !== undefined) {
      const value = values[document]!;
      if (value === value) score *= 1 + weight * value; // NaN is missing
    }
    if (score < least) continue;
    least = top.takeByScore(segment, document, score);
    needed = valueFor(least, most, weight);
  }
  return count;
};
