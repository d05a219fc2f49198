import { hasBit } from '../index/bits.ts';
import type { EnumColumn } from '../index/enum-column.ts';
import type { PostingList } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import { Several } from './column-kinds.ts';
import { idsOf } from './dense-views.ts';
import type { Gate } from './gate.ts';

/** Where the documents of a list go, with their counts. */
type Lists = { readonly docs: Uint32Array; readonly counts: Uint32Array };

/** The living documents of a list. */
export const fillAll = (
  list: PostingList,
  { alive }: Segment,
  isClean: boolean,
  { docs, counts }: Lists,
): number => {
  const { data, from, to } = list;
  let count = 0;
  for (let at = from; at < to; at++) {
    const posting = data[at]!;
    const document = posting >>> 16;
    if (!isClean && !hasBit(alive, document)) continue;
    docs[count] = document;
    counts[count++] = posting & 0xffff;
  }
  return count;
};

/** The same, but only what a condition on a column lets through: most postings cost one look at that column. */
const fillByColumn = (
  { data, from, to }: PostingList,
  { alive }: Segment,
  ids: EnumColumn['ids'],
  allowed: Uint8Array,
  { docs, counts }: Lists,
): number => {
  let count = 0;
  for (let at = from; at < to; at++) {
    const posting = data[at]!;
    const document = posting >>> 16;
    if (allowed[ids[document]!] === 0 || !hasBit(alive, document)) continue;
    docs[count] = document;
    counts[count++] = posting & 0xffff;
  }
  return count;
};

/** The same, where the condition is known as bits from the word of `first` on; all documents of the list lie in them. */
const fillByBits = (
  { data, from, to }: PostingList,
  { alive }: Segment,
  bits: Uint32Array,
  first: number,
  { docs, counts }: Lists,
): number => {
  const start = first & ~31;
  let count = 0;
  for (let at = from; at < to; at++) {
    const posting = data[at]!;
    const document = posting >>> 16;
    if (!hasBit(bits, document - start) || !hasBit(alive, document)) continue;
    docs[count] = document;
    counts[count++] = posting & 0xffff;
  }
  return count;
};

const fillBySeveral = (
  { data, from, to }: PostingList,
  { alive }: Segment,
  column: Several,
  allowed: Uint8Array,
  { docs, counts }: Lists,
): number => {
  let count = 0;
  for (let at = from; at < to; at++) {
    const document = data[at]! >>> 16;
    if (!hasBit(alive, document) || !column.hasOneOf(document, allowed)) continue;
    docs[count] = document;
    counts[count++] = data[at]! & 0xffff;
  }
  return count;
};

/** Those living documents of the list that the gate lets through. */
export const fillGated = (list: PostingList, segment: Segment, gate: Gate, to: Lists): number => {
  const { set, filter } = gate;
  if (set && !set.list) return fillByBits(list, segment, set.bits, set.first, to);
  const several = Several.of(segment.column(filter.field));
  if (several) return fillBySeveral(list, segment, several, filter.allowed, to);
  return fillByColumn(list, segment, idsOf(segment, filter.field), filter.allowed, to);
};
