import { cosine, distanceMeters, type Cursor, type SortKey } from '@doska/core/vasgen';
import type { Column } from '../index/column-shapes.ts';
import type { Segment } from '../index/segment.ts';
import { numbersOf } from './dense-views.ts';

/** A hit as it is compared: where it is, and its score. */
export type Place = { readonly segment: Segment; readonly document: number; readonly score: number };

type Value = number | string | undefined;
type Key = {
  readonly read: (place: Place) => Value;
  readonly sign: 1 | -1;
  /** A number to compare by is there without looking at the document again. */
  readonly isNumeric: boolean;
};

const columnValue = (column: Column | undefined, document: number): Value => {
  const value = column?.valueAt(document);
  return typeof value === 'boolean' ? Number(value) : (value as Value);
};

const keyOf = (key: SortKey, isText: (field: string) => boolean): Key => {
  switch (key.by) {
    case 'relevance':
      return { read: ({ score }) => score, sign: -1, isNumeric: true };
    case 'column':
      return {
        read: ({ segment, document }) => columnValue(segment.column(key.field), document),
        sign: key.direction === 'asc' ? 1 : -1,
        isNumeric: !isText(key.field),
      };
    case 'distance':
      return {
        read: ({ segment, document }) => {
          const point = segment.column(key.field)?.valueAt(document) as
            { lat: number; lon: number } | undefined;
          return point && distanceMeters(key.from, point);
        },
        sign: 1,
        isNumeric: true,
      };
    case 'similarity': {
      const to = Float32Array.from(key.to);
      return {
        read: ({ segment, document }) => {
          const vector = segment.column(key.field)?.valueAt(document) as Float32Array | undefined;
          return vector && cosine(to, vector);
        },
        sign: -1,
        isNumeric: true,
      };
    }
  }
};

const compareValues = (x: Value, y: Value, sign: 1 | -1): number => {
  if (x === y) return 0;
  if (x === undefined) return 1;
  if (y === undefined) return -1;
  return x < y ? -sign : sign;
};

/** The order of hits: by the keys, missing values last, then by pk. */
export class SortOrder {
  readonly #keys: readonly Key[];
  readonly #sort: readonly SortKey[];
  readonly usesScores: boolean;
  /** The first key is the score itself. */
  readonly isByRelevance: boolean;

  constructor(sort: readonly SortKey[], isText: (field: string) => boolean) {
    this.#sort = sort;
    this.#keys = sort.map((key) => keyOf(key, isText));
    this.isByRelevance = sort[0]?.by === 'relevance';
    this.usesScores = sort.some(({ by }) => by === 'relevance');
  }

  /** Writes a number for each place, smaller is earlier; equal numbers are for `compare` to decide. */
  firstKeys(
    segment: Segment,
    docs: Uint32Array,
    places: Uint32Array,
    count: number,
    scores: Float64Array,
    out: Float64Array,
  ): void {
    const [sort] = this.#sort;
    const [key] = this.#keys;
    if (!sort || !key?.isNumeric) return void out.fill(0, 0, count);
    if (sort.by === 'relevance') for (let at = 0; at < count; at++) out[at] = -scores[places[at]!]!;
    else if (sort.by === 'column' && segment.layout.schema[sort.field]?.kind === 'number') {
      const values = numbersOf(segment, sort.field);
      for (let at = 0; at < count; at++) {
        const value = values[docs[places[at]!]!]!;
        out[at] = value !== value ? Infinity : key.sign * value;
      }
    } else
      for (let at = 0; at < count; at++) {
        const value = key.read({ segment, document: docs[places[at]!]!, score: scores[places[at]!]! });
        out[at] = value === undefined ? Infinity : key.sign * (value as number);
      }
  }

  compare(a: Place, b: Place): number {
    for (const { read, sign } of this.#keys) {
      const order = compareValues(read(a), read(b), sign);
      if (order !== 0) return order;
    }
    const x = a.segment.pks[a.document]!;
    const y = b.segment.pks[b.document]!;
    return x < y ? -1 : x > y ? 1 : 0;
  }

  /** Whether a hit comes after the last one of the page before. */
  isAfter(place: Place, { values, pk }: Cursor): boolean {
    for (const [at, { read, sign }] of this.#keys.entries()) {
      const order = compareValues(read(place), values[at] ?? undefined, sign);
      if (order !== 0) return order > 0;
    }
    return place.segment.pks[place.document]! > pk;
  }

  cursorOf(place: Place): Cursor {
    return {
      values: this.#keys.map(({ read }) => read(place) ?? null),
      pk: place.segment.pks[place.document]!,
    };
  }
}
