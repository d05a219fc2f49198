import type { Position } from '@doska/core/kernel';
import type { IndexSpec } from '@doska/core/vasgen';
import type { SearchIndex } from '../index/search-index.ts';
import { imageOf, type SegmentImage } from './segment-image.ts';

/** An index and the place of its feeder at one moment, taken in one step. */
export type IndexImage = {
  readonly spec: IndexSpec;
  readonly analyzer: string;
  readonly positions: readonly Position[];
  readonly segments: readonly SegmentImage[];
  /** Term numbers go below this; terms are only ever added. */
  readonly terms: number;
  readonly termsFrom: (from: number) => readonly string[];
  /** Words that were read, with the numbers of their terms; words are only ever added. */
  readonly wordCount: number;
  readonly wordsFrom: (from: number) => readonly string[];
  readonly termsOfWords: (from: number) => Uint32Array;
  readonly frequencies: Int32Array;
  readonly words: readonly number[];
  readonly enums: Readonly<Record<string, readonly (string | boolean)[]>>;
};

export const indexImageOf = (index: SearchIndex, positions: readonly Position[]): IndexImage => {
  const { dictionary } = index;
  const terms = dictionary.size;
  const { wordCount } = dictionary;
  const wordsFrom = (from: number): readonly string[] => dictionary.wordSlice(from, wordCount);
  const frequencies = new Int32Array(terms);
  for (let id = 1; id < terms; id++) frequencies[id] = index.dictionary.frequency(id);
  return {
    spec: index.spec,
    analyzer: index.analyzer.id,
    positions,
    segments: index.segments.map(imageOf),
    terms,
    termsFrom: (from) => index.dictionary.slice(from, terms),
    wordCount,
    wordsFrom,
    termsOfWords: (from) => Uint32Array.from(wordsFrom(from), (word) => dictionary.termOfWord(word)),
    frequencies,
    words: [...index.words],
    enums: Object.fromEntries(
      [...index.layout.dictionaries].map(([name, { values }]) => [name, values.slice(1)]),
    ),
  };
};
