import { EnumColumn } from '../index/enum-column.ts';
import { EnumsColumn } from '../index/enums-column.ts';
import { StringsColumn } from '../index/strings-column.ts';
import { GeoColumn, NumberColumn, StringColumn, type Column } from '../index/columns.ts';
import type { IndexLayout } from '../index/index-layout.ts';
import { SealedPostings } from '../index/postings.ts';
import { Segment } from '../index/segment.ts';
import { VectorColumn } from '../index/vector-column.ts';
import { WordStream } from '../index/word-stream.ts';
import { section, type NumberArray, type Section } from './sectioned-file.ts';
import { readStrings, stringSections } from './string-sections.ts';

/**
 * A segment as it was at one moment. Documents are appended and never change, so the arrays of that moment with its
 * count are the truth for as long as the image is written, whatever happens to the segment meanwhile.
 */
export type SegmentImage = {
  readonly serial: number;
  readonly count: number;
  readonly isSealed: boolean;
  /** The only state that changes: copied. */
  readonly alive: Uint32Array;
  readonly buried: Uint32Array;
  readonly sections: () => Iterable<Section>;
};

function* columnSections(name: string, column: Column, count: number): Iterable<Section> {
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
const frozen = (column: Column): Column => {
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

export const imageOf = (segment: Segment): SegmentImage => {
  const { serial, count, pks, versions, timestamps, kinds, places, postings, layout } = segment;
  const lengths = [...segment.lengths];
  const columns = segment.columns.map(frozen);
  const pages = segment.words.written;
  const sealed = segment.isSealed && postings instanceof SealedPostings ? postings : undefined;
  function* sections(): Iterable<Section> {
    yield* stringSections('pks', pks.slice(0, count));
    yield section('versions', versions.subarray(0, count));
    yield section('timestamps', timestamps.subarray(0, count));
    yield section('kinds', kinds.subarray(0, count));
    yield section('places', places.subarray(0, count));
    for (const [at, one] of lengths.entries()) yield section(`lengths.${at}`, one.subarray(0, count));
    for (const [at, column] of columns.entries())
      yield* columnSections(`column.${layout.columnNames[at]}`, column, count);
    yield section('words.pages', Uint32Array.of(pages.length));
    for (const [at, page] of pages.entries()) yield section(`words.${at}`, page);
    if (!sealed) return;
    yield section('postings.terms', sealed.terms);
    yield section('postings.starts', sealed.starts);
    yield section('postings.data', sealed.data);
  }
  return {
    serial,
    count,
    isSealed: sealed !== undefined,
    alive: segment.alive.slice(),
    buried: segment.buried.slice(),
    sections,
  };
};

type Arrays = (name: string) => NumberArray;

const columnFrom = (name: string, blank: Column, array: Arrays): Column => {
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

/** A segment from its file. Without postings it is only good to be copied into one that grows. */
export const segmentFrom = (
  layout: IndexLayout,
  { serial, isSealed }: { readonly serial: number; readonly isSealed: boolean },
  bits: { readonly alive: Uint32Array; readonly buried: Uint32Array },
  array: Arrays,
): Segment => {
  const segment = new Segment(layout, serial);
  const words = new WordStream();
  const pages = array('words.pages')[0]!;
  for (let at = 0; at < pages; at++) words.pages.push(array(`words.${at}`) as Uint8Array);
  segment.restore({
    pks: readStrings('pks', array) as string[],
    versions: array('versions') as Float64Array<ArrayBuffer>,
    timestamps: array('timestamps') as Float64Array<ArrayBuffer>,
    kinds: array('kinds') as Uint8Array<ArrayBuffer>,
    places: array('places') as Float64Array<ArrayBuffer>,
    lengths: segment.lengths.map((_, at) => array(`lengths.${at}`) as Uint8Array<ArrayBuffer>),
    columns: segment.columns.map((blank, at) => columnFrom(`column.${layout.columnNames[at]}`, blank, array)),
    words,
    alive: bits.alive as Uint32Array<ArrayBuffer>,
    buried: bits.buried as Uint32Array<ArrayBuffer>,
    postings: isSealed
      ? new SealedPostings(
          array('postings.terms') as Uint32Array,
          array('postings.starts') as Uint32Array,
          array('postings.data') as Uint32Array,
        )
      : new SealedPostings(new Uint32Array(0), new Uint32Array(1), new Uint32Array(0)),
  });
  return segment;
};
