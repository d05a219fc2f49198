import type { Column } from './column-shapes.ts';
import type { EnumColumn } from './enum-column.ts';
import type { IndexLayout } from './index-layout.ts';
import { SEGMENT_DOCUMENTS_MAX, type Segment } from './segment.ts';

/** Segments that are rewritten together are few: an entry is one number. */
export const entryOf = (source: number, at: number): number => source * SEGMENT_DOCUMENTS_MAX + at;
export const sourceOf = (entry: number): number => Math.floor(entry / SEGMENT_DOCUMENTS_MAX);
export const placeOf = (entry: number): number => entry % SEGMENT_DOCUMENTS_MAX;

const ENTRIES_A_SLICE = 16_384;

/** The number of a document's value, 0 for none. */
const idsOf = (column: Column | undefined): ((at: number) => number) => {
  if (!column) return () => 0;
  if (column.kind !== 'sparse') return (at) => (column as EnumColumn).ids[at]!;
  const { ids } = column.packed as EnumColumn;
  return (at) => {
    const ordinal = column.ordinal(at);
    return ordinal < 0 ? 0 : ids[ordinal]!;
  };
};

/** Sorts by one column and keeps the order of what is equal: counts the values, then gives each its room. */
function* sortedBy(
  entries: Float64Array,
  sources: readonly Segment[],
  column: number,
  values: number,
): Generator<void, Float64Array> {
  const columns = sources.map((segment) => idsOf(segment.columns[column]));
  const idOf = (entry: number): number => columns[sourceOf(entry)]!(placeOf(entry));
  const starts = new Uint32Array(1 + values);
  for (let at = 0; at < entries.length; at++) {
    starts[1 + idOf(entries[at]!)]!++;
    if (at % ENTRIES_A_SLICE === ENTRIES_A_SLICE - 1) yield;
  }
  for (let id = 1; id < starts.length; id++) starts[id]! += starts[id - 1]!;
  const sorted = new Float64Array(entries.length);
  for (let at = 0; at < entries.length; at++) {
    sorted[starts[idOf(entries[at]!)]!++] = entries[at]!;
    if (at % ENTRIES_A_SLICE === ENTRIES_A_SLICE - 1) yield;
  }
  return sorted;
}

/** The entries of segments in the order in which one segment holds them: equal values of the clustering columns together. */
export function* clusteredOrder(
  sources: readonly Segment[],
  { clusters, columnNames, dictionaries }: IndexLayout,
): Generator<void, Float64Array> {
  let entries: Float64Array = new Float64Array(sources.reduce((sum, { count }) => sum + count, 0));
  let end = 0;
  for (const [source, { count }] of sources.entries())
    for (let at = 0; at < count; at++) entries[end++] = entryOf(source, at);
  for (const column of [...clusters].reverse()) {
    // The sources take no more documents, so all their values are known.
    const values = dictionaries.get(columnNames[column]!)!.size;
    entries = yield* sortedBy(entries, sources, column, values);
  }
  return entries;
}
