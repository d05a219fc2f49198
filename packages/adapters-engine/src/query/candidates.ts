import { bitWords, listBits, setBit } from '../index/bits.ts';
import type { PostingList } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import { keepBits, markSet } from '../index/value-lists.ts';
import { listsOf } from './column-kinds.ts';
import { behind, fillFrom, gateOf } from './gate.ts';
import { intersect, type Found } from './intersection.ts';
import { listOf } from './posting-lists.ts';
import type { EnumFilter, ResolvedFilter } from './resolved-filter.ts';
import type { Scratch } from './scratch.ts';
import type { TextCondition } from './text-clauses.ts';

/** Documents that are in one list at least. */
const unite = (lists: readonly (PostingList | undefined)[], segment: Segment, scratch: Scratch): number => {
  const { docs, bits } = scratch;
  const words = bitWords(segment.count);
  bits.fill(0, 0, words);
  for (const list of lists)
    if (list) for (let at = list.from; at < list.to; at++) setBit(bits, list.data[at]! >>> 16);
  for (let at = 0; at < words; at++) bits[at]! &= segment.alive[at]!;
  const count = listBits(bits, 0, words, docs);
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

const NOTHING: Found = { count: 0, rest: [] };

/** The living documents of a segment whose words match, to `docs` and `counts`; `rest` of the conditions is still to be tested. */
export const findByText = (
  text: TextCondition,
  filters: readonly ResolvedFilter[],
  segment: Segment,
  scratch: Scratch,
): Found => {
  if (text.mode === 'any') {
    const lists = text.clauses.map((clause) => listOf(clause, segment));
    return { count: unite(lists, segment, scratch), rest: filters };
  }
  const lists: PostingList[] = [];
  for (const clause of text.clauses) {
    const list = listOf(clause, segment);
    if (!list) return NOTHING;
    lists.push(list);
  }
  return intersect(lists, filters, segment, scratch);
};

/** Takes away from `bits`, between two words, what a condition does not let through; false where there are no lists for it. */
const narrowBits = (
  { field, ids }: EnumFilter,
  segment: Segment,
  bits: Uint32Array,
  from: number,
  to: number,
  scratch: Uint32Array,
): boolean => {
  const column = segment.column(field);
  const lists = column && listsOf(column);
  if (!lists) return false;
  const only = ids.length === 1 ? lists.find(ids[0]!) : undefined;
  if (only && !only.list) keepBits(only.first, only.bits, bits, from, to);
  else {
    scratch.fill(0, from, to);
    for (const id of ids) {
      const set = lists.find(id);
      if (set) markSet(set, scratch, from, to);
    }
    for (let word = from; word < to; word++) bits[word]! &= scratch[word]!;
  }
  return true;
};

/** The same for a query without words: from the shortest list of a condition, or else from bits. */
export const findByConditions = (
  filters: readonly ResolvedFilter[],
  segment: Segment,
  { docs, bits, moreBits }: Scratch,
): Found => {
  const gate = gateOf(filters, segment);
  if (gate?.count === 0) return NOTHING;
  if (gate?.set?.list) return { count: fillFrom(gate.set.list, segment, docs), rest: behind(gate, filters) };
  const from = (gate?.first ?? 0) >>> 5;
  const to = bitWords((gate?.last ?? segment.count - 1) + 1);
  bits.set(segment.alive.subarray(from, to), from);
  const rest = filters.filter(
    (filter) => filter.kind !== 'enum' || !narrowBits(filter, segment, bits, from, to, moreBits),
  );
  return { count: listBits(bits, from, to, docs), rest };
};
