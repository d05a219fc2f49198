import type { PostingList } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import type { Clause } from './text-clauses.ts';

/** Counts of several terms together, each field's up to 15. */
const together = (a: number, b: number): number => {
  let sum = 0;
  for (let shift = 0; shift < 16; shift += 4)
    sum |= Math.min(15, ((a >>> shift) & 15) + ((b >>> shift) & 15)) << shift;
  return sum;
};

const merged = (lists: readonly PostingList[]): PostingList => {
  const all = new Uint32Array(lists.reduce((sum, { from, to }) => sum + to - from, 0));
  let end = 0;
  for (const { data, from, to } of lists) {
    all.set(data.subarray(from, to), end);
    end += to - from;
  }
  all.sort();
  let kept = 0;
  for (let at = 1; at < all.length; at++) {
    if (all[at]! >>> 16 === all[kept]! >>> 16)
      all[kept] = ((all[kept]! & 0xffff0000) | together(all[kept]! & 0xffff, all[at]! & 0xffff)) >>> 0;
    else all[++kept] = all[at]!;
  }
  return { data: all, from: 0, to: kept + 1 };
};

/** The postings of a clause in a segment; several terms are merged into one list. */
export const listOf = ({ terms }: Clause, segment: Segment): PostingList | undefined => {
  if (terms.length === 1) return segment.postings.find(terms[0]!);
  const lists = terms.map((term) => segment.postings.find(term)).filter((list) => list !== undefined);
  return lists.length <= 1 ? lists[0] : merged(lists);
};
