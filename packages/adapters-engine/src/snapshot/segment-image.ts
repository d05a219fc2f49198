import type { IndexLayout } from '../index/index-layout.ts';
import { SealedPostings } from '../index/postings.ts';
import { Segment } from '../index/segment.ts';
import { WordStream } from '../index/word-stream.ts';
import { columnFrom, columnSections, frozen, type Arrays } from './column-image.ts';
import { section, type Section } from './sectioned-file.ts';
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

export const imageOf = (segment: Segment): SegmentImage => {
  const { serial, count, pks, versions, timestamps, kinds, places, postings, layout } = segment;
  const lengths = [...segment.lengths];
  const columns = segment.columns.map((column) => column && frozen(column));
  const { columnNames } = layout;
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
      if (column) yield* columnSections(`column.${columnNames[at]}`, column, count);
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

/** A segment from its file. Without postings it is only good to be copied into one that grows. */
export const segmentFrom = (
  layout: IndexLayout,
  { serial, isSealed }: { readonly serial: number; readonly isSealed: boolean },
  bits: { readonly alive: Uint32Array; readonly buried: Uint32Array },
  array: Arrays,
): Segment => {
  const segment = new Segment(layout, serial);
  const words = new WordStream();
  const count = array('versions').length;
  const pages = array('words.pages')[0]!;
  for (let at = 0; at < pages; at++) words.pages.push(array(`words.${at}`) as Uint8Array);
  segment.restore({
    pks: readStrings('pks', array) as string[],
    versions: array('versions') as Float64Array<ArrayBuffer>,
    timestamps: array('timestamps') as Float64Array<ArrayBuffer>,
    kinds: array('kinds') as Uint8Array<ArrayBuffer>,
    places: array('places') as Float64Array<ArrayBuffer>,
    // A file from before a field was added knows nothing of it.
    lengths: segment.lengths.map((_, at) =>
      array.has(`lengths.${at}`)
        ? (array(`lengths.${at}`) as Uint8Array<ArrayBuffer>)
        : new Uint8Array(count),
    ),
    columns: layout.columnNames.map((name, at) =>
      columnFrom(`column.${name}`, () => layout.emptyColumn(at).packed, array),
    ),
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
