import type { EnumColumn } from '../index/enum-column.ts';
import type { NumberColumn } from '../index/columns.ts';
import type { Segment } from '../index/segment.ts';
import { Several } from './column-kinds.ts';
import { idsOf, numbersOf } from './dense-views.ts';
import { testOf, type ResolvedFilter } from './resolved-filter.ts';

type Ids = EnumColumn['ids'];
const narrowByEnum = (
  ids: Ids,
  allowed: Uint8Array,
  docs: Uint32Array,
  places: Uint32Array,
  count: number,
): number => {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const place = places[at]!;
    if (allowed[ids[docs[place]!]!] === 1) places[kept++] = place;
  }
  return kept;
};

const narrowByRange = (
  values: NumberColumn['values'],
  { min, max }: { readonly min: number; readonly max: number },
  docs: Uint32Array,
  places: Uint32Array,
  count: number,
): number => {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const place = places[at]!;
    const value = values[docs[place]!]!;
    if (value >= min && value <= max) places[kept++] = place;
  }
  return kept;
};

/** Keeps those `places` whose document passes; returns how many. The common conditions have loops of their own. */
export const narrow = (
  filter: ResolvedFilter,
  segment: Segment,
  docs: Uint32Array,
  places: Uint32Array,
  count: number,
): number => {
  if (count === 0) return 0;
  if (filter.kind === 'enum' && !Several.of(segment.column(filter.field)))
    return narrowByEnum(idsOf(segment, filter.field), filter.allowed, docs, places, count);
  if (filter.kind === 'range')
    return narrowByRange(numbersOf(segment, filter.field), filter, docs, places, count);
  const test = testOf(filter, segment);
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const place = places[at]!;
    if (test(docs[place]!)) places[kept++] = place;
  }
  return kept;
};
