import type { FieldValue } from '@doska/core/vasgen';
import { NumberColumn } from './columns.ts';
import { EnumColumn } from './enum-column.ts';
import { SparseColumn } from './sparse-column.ts';

/** A value for every document of the segment, or the mark of a missing one: for fields that most documents have. */
export type DenseColumn = NumberColumn | EnumColumn;
/** One field's values in one segment; without any value there is no column. */
export type Column = DenseColumn | SparseColumn;

const densePacked = ({ packed }: SparseColumn): DenseColumn | undefined => {
  if (packed.kind === 'number') return new NumberColumn();
  return packed.kind === 'enum' ? new EnumColumn(packed.dictionary) : undefined;
};

/** The same values with a place for every document; undefined where the kind has no such shape. */
export const denseOf = (column: SparseColumn, length: number): DenseColumn | undefined => {
  const dense = densePacked(column);
  dense?.grow(length);
  for (let ordinal = 0; dense && ordinal < column.count; ordinal++)
    dense.put(column.docs[ordinal]!, column.packed.valueAt(ordinal) as FieldValue);
  return dense;
};

/** The same values without a place for documents that have none. */
export const sparseOf = (column: DenseColumn, count: number): SparseColumn => {
  const sparse = new SparseColumn(
    column.kind === 'number' ? new NumberColumn() : new EnumColumn(column.dictionary),
  );
  for (let at = 0; at < count; at++) {
    const value = column.valueAt(at);
    if (value !== undefined) sparse.put(at, value);
  }
  return sparse;
};

/** How many of the first `count` documents have a value. */
export const filled = (column: Column, count: number): number => {
  if (column.kind === 'sparse') return column.count;
  let found = 0;
  for (let at = 0; at < count; at++) if (column.has(at)) found++;
  return found;
};
