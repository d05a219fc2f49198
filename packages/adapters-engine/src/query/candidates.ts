import { hasBit, listBits, bitWords, setBit } from '../index/bits.ts';
import type { PostingList } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import type { Scratch } from './scratch.ts';
import type { Clause, PhraseSlot, TextCondition } from './text-clauses.ts';

/** Counts of several terms together, each field's up to 15. */
const together = (a: number, b: number): number => {
  let sum = 0;
  for (let shift = 0; shift < 16; shift += 4)
    sum |= Math.min(15, ((a >>> shift) & 15) + ((b >>> shift) & 15)) << shift;
  return sum;
};

/** The postings of a clause in a segment; several terms are merged into one list. */
const listOf = ({ terms }: Clause, segment: Segment): PostingList | undefined => {
  const lists = terms.map((term) => segment.postings.find(term)).filter((list) => list !== undefined);
  if (lists.length <= 1) return lists[0];
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

/** The first place from `from` on whose posting is not below `least`; leaps, then halves. */
const seek = (data: Uint32Array, from: number, to: number, least: number): number => {
  let step = 1;
  let low = from;
  let high = from;
  while (high < to && data[high]! < least) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  if (high > to) high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (data[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
};

const fillFirst = (
  { data, from, to }: PostingList,
  segment: Segment,
  docs: Uint32Array,
  counts: Uint32Array,
): number => {
  const { alive } = segment;
  const clean = segment.aliveCount === segment.count;
  let count = 0;
  for (let at = from; at < to; at++) {
    const posting = data[at]!;
    const document = posting >>> 16;
    if (clean || hasBit(alive, document)) {
      docs[count] = document;
      counts[count++] = posting & 0xffff;
    }
  }
  return count;
};

/** From here on it pays to leap through the longer list. */
const LEAP = 16;

/** Keeps of the first `count` candidates those that are in the list, with their counts; `others` move along. */
const intersectWith = (
  { data, from, to }: PostingList,
  docs: Uint32Array,
  count: number,
  counts: Uint32Array,
  others: readonly Uint32Array[],
): number => {
  const leaps = to - from > LEAP * count;
  let kept = 0;
  let place = from;
  for (let at = 0; at < count; at++) {
    const least = (docs[at]! << 16) >>> 0;
    if (leaps) place = seek(data, place, to, least);
    else while (place < to && data[place]! < least) place++;
    if (place === to) break;
    const posting = data[place]!;
    if (posting >>> 16 !== docs[at]) continue;
    docs[kept] = docs[at]!;
    for (let other = 0; other < others.length; other++) others[other]![kept] = others[other]![at]!;
    counts[kept++] = posting & 0xffff;
  }
  return kept;
};

/** The living documents of a list of document numbers. */
const fillFrom = (list: Uint16Array, { alive }: Segment, docs: Uint32Array): number => {
  let count = 0;
  for (let at = 0; at < list.length; at++) if (hasBit(alive, list[at]!)) docs[count++] = list[at]!;
  return count;
};

/** Documents that are in every list, the shortest list first; `narrow` is a condition's own list of documents. */
const intersect = (
  lists: readonly PostingList[],
  narrow: Uint16Array | undefined,
  segment: Segment,
  scratch: Scratch,
): number => {
  const sizeOf = (at: number): number => lists[at]!.to - lists[at]!.from;
  const order = lists.map((_, at) => at).sort((a, b) => sizeOf(a) - sizeOf(b));
  const done: Uint32Array[] = [];
  const { docs } = scratch;
  let count: number;
  if (narrow && narrow.length < sizeOf(order[0]!)) count = fillFrom(narrow, segment, docs);
  else {
    const first = order.shift()!;
    done.push(scratch.counts(first));
    count = fillFirst(lists[first]!, segment, docs, scratch.counts(first));
  }
  for (const clause of order) {
    if (count === 0) return 0;
    count = intersectWith(lists[clause]!, docs, count, scratch.counts(clause), done);
    done.push(scratch.counts(clause));
  }
  return count;
};

/** Documents that are in one list at least. */
const unite = (lists: readonly (PostingList | undefined)[], segment: Segment, scratch: Scratch): number => {
  const { docs, bits } = scratch;
  const words = bitWords(segment.count);
  bits.fill(0, 0, words);
  for (const list of lists)
    if (list) for (let at = list.from; at < list.to; at++) setBit(bits, list.data[at]! >>> 16);
  for (let at = 0; at < words; at++) bits[at]! &= segment.alive[at]!;
  const count = listBits(bits, words, docs);
  for (const [clause, list] of lists.entries()) {
    const counts = scratch.counts(clause);
    let place = list?.from ?? 0;
    for (let at = 0; at < count; at++) {
      counts[at] = 0;
      if (!list) continue;
      while (place < list.to && list.data[place]! >>> 16 < docs[at]!) place++;
      if (place < list.to && list.data[place]! >>> 16 === docs[at]) counts[at] = list.data[place]! & 0xffff;
    }
  }
  return count;
};

const holdsPhrase = (slots: readonly PhraseSlot[], words: Uint32Array): boolean => {
  for (let from = 0; from + slots.length <= words.length; from++) {
    let at = 0;
    while (at < slots.length && (!slots[at] || slots[at]!.has(words[from + at]!))) at++;
    if (at === slots.length) return true;
  }
  return false;
};

/** Keeps the places whose document holds the phrase. */
export const keepPhrases = (
  slots: readonly PhraseSlot[],
  segment: Segment,
  scratch: Scratch,
  count: number,
): number => {
  const { docs, places, reader } = scratch;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    segment.readWords(docs[places[at]!]!, reader);
    if (segment.lengths.some((_, field) => holdsPhrase(slots, reader.field(field))))
      places[kept++] = places[at]!;
  }
  return kept;
};

/**
 * The living documents of a segment whose words match, to `docs` and `counts`; returns how many. Those outside of
 * `narrow` may be left out already.
 */
export const findByText = (
  text: TextCondition,
  narrow: Uint16Array | undefined,
  segment: Segment,
  scratch: Scratch,
): number => {
  const lists = text.clauses.map((clause) => listOf(clause, segment));
  if (text.mode === 'any') return unite(lists, segment, scratch);
  const there = lists.filter((list) => list !== undefined);
  return there.length < lists.length ? 0 : intersect(there, narrow, segment, scratch);
};
