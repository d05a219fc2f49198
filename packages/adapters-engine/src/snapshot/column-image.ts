import { EnumColumn } from '../index/enum-column.ts';
import { EnumsColumn } from '../index/enums-column.ts';
import { type Column } from '../index/column-shapes.ts';
import { GeoColumn, NumberColumn, StringColumn, type PackedColumn } from '../index/columns.ts';
import { SparseColumn } from '../index/sparse-column.ts';
import { StringsColumn } from '../index/strings-column.ts';
import { VectorColumn } from '../index/vector-column.ts';
import { section, type NumberArray, type Section } from './sectioned-file.ts';
import { readStrings, stringSections } from './string-sections.ts';

/** The arrays of the first `count` values, by name. */
function* packedSections(name: string, column: PackedColumn, count: number): Iterable<Section> {
  switch (column.kind) {
    case 'number':
      yield section(name, column.values.subarray(0, count));
      return;
    case 'enum':
      yield section(name, column.ids.subarray(0, count));
      return;
    case 'enums':
      yield section(`${name}.ends`, column.ends.subarray(0, count));
      yield section(`${name}.ids`, column.idsOf(count));
      return;
    case 'geo':
      yield section(`${name}.lats`, column.lats.subarray(0, count));
      yield section(`${name}.lons`, column.lons.subarray(0, count));
      return;
    case 'string':
      yield* stringSections(name, column.values.slice(0, count));
      return;
    case 'strings': {
      let end = 0;
      const values = column.values.slice(0, count);
      yield section(
        `${name}.lists`,
        Uint32Array.from(values, (list) => (end += list.length)),
      );
      yield* stringSections(name, values.flat());
      return;
    }
    case 'vector':
      yield section(`${name}.pages`, Uint32Array.of(column.pages.length));
      for (const [at, page] of column.pages.entries()) yield section(`${name}.${at}`, page);
  }
}

/** The arrays of a segment's column; whose values they are goes before the values of a sparse one. */
export function* columnSections(name: string, column: Column, count: number): Iterable<Section> {
  if (column.kind === 'sparse') {
    yield section(`${name}.docs`, column.docs.subarray(0, column.count));
    yield* packedSections(name, column.packed, column.count);
  } else yield* packedSections(name, column, count);
}

const frozenValues = (column: PackedColumn): PackedColumn => {
  switch (column.kind) {
    case 'number':
      return new NumberColumn(column.values);
    case 'enum':
      return new EnumColumn(column.dictionary, column.ids);
    case 'geo':
      return new GeoColumn(column.lats, column.lons);
    case 'enums':
      return column.frozen();
    case 'string':
    case 'strings':
      return column;
    case 'vector':
      return new VectorColumn(
        column.dimension,
        column.pages.map((page) => page),
      );
  }
};

/** The arrays of this moment: a column that is sealed later gets new ones. */
export const frozen = (column: Column): Column =>
  column.kind === 'sparse'
    ? new SparseColumn(frozenValues(column.packed), column.docs, column.count)
    : (frozenValues(column) as Column);

/** The arrays of a file by name. */
export type Arrays = {
  (name: string): NumberArray;
  readonly has: (name: string) => boolean;
};

const packedFrom = (name: string, blank: PackedColumn, array: Arrays): PackedColumn => {
  switch (blank.kind) {
    case 'number':
      return new NumberColumn(array(name) as Float64Array);
    case 'enum':
      return new EnumColumn(blank.dictionary, array(name) as Uint32Array);
    case 'geo':
      return new GeoColumn(array(`${name}.lats`) as Int32Array, array(`${name}.lons`) as Int32Array);
    case 'enums':
      return new EnumsColumn(blank.dictionary, {
        ends: array(`${name}.ends`) as Uint32Array,
        ids: array(`${name}.ids`) as Uint32Array,
      });
    case 'string':
      return new StringColumn(readStrings(name, array) as string[]);
    case 'strings': {
      const all = readStrings(name, array) as string[];
      const ends = [...array(`${name}.lists`)];
      return new StringsColumn(ends.map((end, at) => all.slice(at === 0 ? 0 : ends[at - 1], end)));
    }
    case 'vector': {
      const pages = array(`${name}.pages`)[0]!;
      return new VectorColumn(
        blank.dimension,
        Array.from({ length: pages }, (_, at) => array(`${name}.${at}`) as Float32Array),
      );
    }
  }
};

/** The column that these arrays were taken from, undefined for none; `blank` is an empty one of its kind. */
export const columnFrom = (name: string, blank: () => PackedColumn, array: Arrays): Column | undefined => {
  if (array.has(`${name}.docs`))
    return new SparseColumn(packedFrom(name, blank(), array), array(`${name}.docs`) as Uint16Array);
  return array.has(name) ? (packedFrom(name, blank(), array) as Column) : undefined;
};
