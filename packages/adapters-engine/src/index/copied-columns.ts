import type { FieldValue } from '@doska/core/vasgen';
import { placeOf, sourceOf } from './clustered-order.ts';
import type { Segment } from './segment.ts';

const VALUES_A_SLICE = 512;
const ENTRIES = 2 ** 32;

/** What is copied: the entry behind each place of the target, and the place + 1 of each document of each source. */
export type CopiedEntries = {
  readonly target: Segment;
  readonly sources: readonly Segment[];
  readonly entries: Float64Array;
  readonly places: readonly Uint32Array[];
};

/** The entries that have a value, in the order of the target; for columns that few documents have. */
const sparseEntries = ({ sources, places }: CopiedEntries, column: number): Float64Array => {
  const keys: number[] = [];
  for (const [source, segment] of sources.entries()) {
    const kept = segment.columns[column];
    if (kept?.kind !== 'sparse') continue;
    for (let ordinal = 0; ordinal < kept.count; ordinal++) {
      const at = kept.docs[ordinal]!;
      const place = places[source]![at]!;
      if (place > 0) keys.push((place - 1) * ENTRIES + source * 65_536 + at);
    }
  }
  return Float64Array.from(keys).sort();
};

/** The values of one field after another: a document pays for those that it has, not for all fields of the schema. */
export function* copyColumns(copied: CopiedEntries): Generator<void, void> {
  const { target, sources, entries } = copied;
  const columns = Math.max(0, ...sources.map((segment) => segment.columns.length));
  for (let column = 0; column < columns; column++) {
    const put = (place: number, entry: number): void => {
      const at = placeOf(entry);
      const value = sources[sourceOf(entry)]!.columns[column]?.valueAt(at);
      if (value !== undefined) target.put(column, place, value as FieldValue);
    };
    const isSparse = sources.every((segment) => (segment.columns[column]?.kind ?? 'sparse') === 'sparse');
    const keys = isSparse ? sparseEntries(copied, column) : entries;
    for (let nth = 0; nth < keys.length; nth++) {
      if (isSparse) put(Math.floor(keys[nth]! / ENTRIES), keys[nth]! % ENTRIES);
      else put(nth, keys[nth]!);
      if (nth % VALUES_A_SLICE === VALUES_A_SLICE - 1) yield;
    }
    if (keys.length > 0) yield;
  }
}
