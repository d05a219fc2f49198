import { EnumColumn } from '../index/enum-column.ts';
import { EnumsColumn } from '../index/enums-column.ts';
import { GeoColumn, NumberColumn, StringColumn, type Column } from '../index/columns.ts';
import { StringsColumn } from '../index/strings-column.ts';
import { VectorColumn } from '../index/vector-column.ts';
import { section, type NumberArray, type Section } from './sectioned-file.ts';
import { readStrings, stringSections } from './string-sections.ts';

/** The arrays of a column's first `count` documents, by name. */
export function* columnSections(name: string, column: Column, count: number): Iterable<Section> {
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
        Uint32Array.from(values, (list) => (end += list?.length ?? 0)),
      );
      yield* stringSections(
        name,
        values.flatMap((list) => list ?? []),
      );
      return;
    }
    case 'vector':
      for (const [at, page] of column.pages.entries()) if (page) yield section(`${name}.${at}`, page);
      yield section(
        `${name}.pages`,
        Uint8Array.from(column.pages, (page) => (page ? 1 : 0)),
      );
  }
}

/** The arrays of this moment: a column that is sealed later gets new ones. */
export const frozen = (column: Column): Column => {
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

/** The arrays of a file by name. */
export type Arrays = (name: string) => NumberArray;

/** The column that these arrays were taken from; `blank` is an empty one of its kind. */
export const columnFrom = (name: string, blank: Column, array: Arrays): Column => {
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
      return new StringColumn(readStrings(name, array));
    case 'strings': {
      const all = readStrings(name, array) as string[];
      const ends = [...array(`${name}.lists`)];
      const lists = ends.map((end, at) => all.slice(at === 0 ? 0 : ends[at - 1], end));
      return new StringsColumn(lists.map((list) => (list.length === 0 ? undefined : list)));
    }
    case 'vector': {
      const there = [...array(`${name}.pages`)];
      return new VectorColumn(
        blank.dimension,
        there.map((one, at) => (one === 1 ? (array(`${name}.${at}`) as Float32Array) : undefined)),
      );
    }
  }
};
