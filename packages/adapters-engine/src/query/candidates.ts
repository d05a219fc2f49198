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

/** Documents that are in every list, the shortest list first. */
const intersect = (lists: readonly PostingList[], segment: Segment, scratch: Scratch): number => {
  const order = lists
    .map((_, at) => at)
    .sort((a, b) => lists[a]!.to - lists[a]!.from - (lists[b]!.to - lists[b]!.from));
  const { docs } = scratch;
  let count = fillFirst(lists[order[0]!]!, segment, docs, scratch.counts(order[0]!));
  for (let nth = 1; nth < order.length && count > 0; nth++) {
    const { data, from, to } = lists[order[nth]!]!;
    const counts = scratch.counts(order[nth]!);
    let kept = 0;
    let place = from;
    for (let at = 0; at < count; at++) {
      const least = (docs[at]! << 16) >>> 0;
      place = seek(data, place, to, least);
      if (place === to) break;
      if ((data[place]! & 0xffff0000) >>> 0 !== least) continue;
      docs[kept] = docs[at]!;
      for (let before = 0; before < nth; before++) {
        const earlier = scratch.counts(order[before]!);
        earlier[kept] = earlier[at]!;
      }
      counts[kept++] = data[place]! & 0xffff;
    }
    count = kept;
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

const keepPhrases = (
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

/** The living documents of a segment whose words match, to `docs`, `counts` and `places`; returns how many. */
export const findByText = (text: TextCondition, segment: Segment, scratch: Scratch): number => {
  const lists = text.clauses.map((clause) => listOf(clause, segment));
  let count: number;
  if (text.mode === 'any') count = unite(lists, segment, scratch);
  else {
    const there = lists.filter((list) => list !== undefined);
    if (there.length < lists.length) return 0;
    count = intersect(there, segment, scratch);
  }
  for (let at = 0; at < count; at++) scratch.places[at] = at;
  return text.phrase ? keepPhrases(text.phrase, segment, scratch, count) : count;
};
