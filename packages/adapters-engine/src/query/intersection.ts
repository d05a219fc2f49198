import { clearBit, hasBit, setBit } from '../index/bits.ts';
import type { PostingList } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import { fillAll, fillGated } from './first-list.ts';
import { behind, fillFrom, gateOf } from './gate.ts';
import { seek, within } from './posting-search.ts';
import type { ResolvedFilter } from './resolved-filter.ts';
import type { Scratch } from './scratch.ts';

/** Leaping through a list takes about this many times as long for a candidate as a plain step takes for a posting. */
const LEAP = 24;

/**
 * Keeps of the first `count` candidates those that are in the list, with their counts; `others` move along. Reads the
 * list once against marks of the candidates: two lists side by side would be a guess at every step.
 */
const keepMarked = (
  { data, from, to }: PostingList,
  docs: Uint32Array,
  count: number,
  counts: Uint32Array,
  others: readonly Uint32Array[],
  marks: Uint32Array,
): number => {
  for (let at = 0; at < count; at++) setBit(marks, docs[at]!);
  let kept = 0;
  let next = 0;
  for (let at = from; at < to; at++) {
    const posting = data[at]!;
    const document = posting >>> 16;
    if (!hasBit(marks, document)) continue;
    for (; docs[next] !== document; next++) clearBit(marks, docs[next]!);
    clearBit(marks, document);
    for (let other = 0; other < others.length; other++) others[other]![kept] = others[other]![next]!;
    docs[kept] = document;
    counts[kept++] = posting & 0xffff;
    next++;
  }
  for (; next < count; next++) clearBit(marks, docs[next]!);
  return kept;
};

/** The same by leaping, for a list that is much longer than the candidates. */
const keepFound = (
  { data, from, to }: PostingList,
  docs: Uint32Array,
  count: number,
  counts: Uint32Array,
  others: readonly Uint32Array[],
): number => {
  let kept = 0;
  let place = from;
  for (let at = 0; at < count; at++) {
    const document = docs[at]!;
    place = seek(data, place, to, (document << 16) >>> 0);
    if (place === to) break;
    const posting = data[place]!;
    if (posting >>> 16 !== document) continue;
    docs[kept] = document;
    for (let other = 0; other < others.length; other++) others[other]![kept] = others[other]![at]!;
    counts[kept++] = posting & 0xffff;
  }
  return kept;
};

export type Found = { readonly count: number; readonly rest: readonly ResolvedFilter[] };

/**
 * The living documents that are in every list, to `docs` and `counts`: lists come with the rarest first. One of the
 * conditions is settled on the way; `rest` are the others.
 */
export const intersect = (
  lists: readonly PostingList[],
  filters: readonly ResolvedFilter[],
  segment: Segment,
  scratch: Scratch,
): Found => {
  const { docs, marks } = scratch;
  const gate = gateOf(filters, segment);
  const rest = behind(gate, filters);
  if (gate?.count === 0) return { count: 0, rest };
  const isWhole = !gate || (gate.first === 0 && gate.last === segment.count - 1);
  const near = isWhole ? lists : lists.map((list) => within(list, gate));
  const first = near[0]!;
  const done: Uint32Array[] = [];
  let count: number;
  if (gate?.set?.list && gate.count * LEAP < first.to - first.from)
    count = fillFrom(gate.set.list, segment, docs);
  else {
    const to = { docs, counts: scratch.counts(0) };
    const isClean = segment.aliveCount === segment.count;
    count = gate ? fillGated(first, segment, gate, to) : fillAll(first, segment, isClean, to);
    done.push(to.counts);
  }
  for (let clause = done.length; clause < near.length && count > 0; clause++) {
    const list = near[clause]!;
    const counts = scratch.counts(clause);
    count =
      list.to - list.from > LEAP * count
        ? keepFound(list, docs, count, counts, done)
        : keepMarked(list, docs, count, counts, done, marks);
    done.push(counts);
  }
  return { count, rest };
};
