import { hasBit } from '../index/bits.ts';
import type { Segment } from '../index/segment.ts';
import type { DocumentSet } from '../index/value-lists.ts';
import { listsOf } from './column-kinds.ts';
import type { EnumFilter, ResolvedFilter } from './resolved-filter.ts';

/** The condition of a query that is settled before all others in a segment. */
export type Gate = {
  readonly filter: EnumFilter;
  /** What passes lies between these, both included. Where documents of one value lie together that is little. */
  readonly first: number;
  readonly last: number;
  /** How many pass, at most: of several values a document may be counted more than once. */
  readonly count: number;
  /** What passes, where it is one value's documents. */
  readonly set: DocumentSet | undefined;
};

const gateBy = (filter: EnumFilter, segment: Segment): Gate => {
  const column = segment.column(filter.field);
  if (!column) return { filter, first: segment.count, last: -1, count: 0, set: undefined };
  const lists = listsOf(column);
  if (!lists) return { filter, first: 0, last: segment.count - 1, count: segment.count, set: undefined };
  let first = segment.count;
  let last = -1;
  let count = 0;
  let set: DocumentSet | undefined;
  for (const id of filter.ids) {
    const one = lists.find(id);
    if (!one) continue;
    first = Math.min(first, one.first);
    last = Math.max(last, one.last);
    set = count === 0 ? one : undefined;
    count += one.count;
  }
  return { filter, first, last, count, set };
};

/** The condition that lets the fewest through; undefined where no condition is on a field of values. */
export const gateOf = (filters: readonly ResolvedFilter[], segment: Segment): Gate | undefined => {
  let best: Gate | undefined;
  for (const filter of filters) {
    if (filter.kind !== 'enum') continue;
    const gate = gateBy(filter, segment);
    if (!best || gate.count < best.count) best = gate;
  }
  return best;
};

/** What is still to be tested behind the gate. */
export const behind = (
  gate: Gate | undefined,
  filters: readonly ResolvedFilter[],
): readonly ResolvedFilter[] => (gate ? filters.filter((filter) => filter !== gate.filter) : filters);

/** The living documents of a list of document numbers, to `docs`; returns how many. */
export const fillFrom = (list: Uint16Array, { alive }: Segment, docs: Uint32Array): number => {
  let count = 0;
  for (let at = 0; at < list.length; at++) if (hasBit(alive, list[at]!)) docs[count++] = list[at]!;
  return count;
};
