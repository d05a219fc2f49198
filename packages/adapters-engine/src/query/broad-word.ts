import { K1, type Boost } from '@doska/core/vasgen';
import { hasBit } from '../index/bits.ts';
import type { NumberColumn } from '../index/columns.ts';
import type { PostingList } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
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
  const values = boost && (segment.column(boost.field) as NumberColumn).values;
  const weight = boost?.weight ?? 0;
  let { least } = top;
  let count = 0;
  for (let at = from; at < to; at++) {
    const posting = data[at]!;
    const document = posting >>> 16;
    if (!isClean && !hasBit(alive, document)) continue;
    count++;
    const packed = posting & 0xffff;
    let score: number;
    if (packed === ONCE_IN_SECOND) score = once[secondLengths[document]!]!;
    else {
      const weighted =
        (packed & 15) * first![firstLengths![document]!]! +
        (packed >>> 4) * second[secondLengths[document]!]!;
      score = (worth * weighted) / (K1 + weighted);
    }
    if (values !== undefined) {
      const value = values[document]!;
      if (value === value) score *= 1 + weight * value; // NaN is missing
    }
    if (score >= least) least = top.takeByScore(segment, document, score);
  }
  return count;
};
