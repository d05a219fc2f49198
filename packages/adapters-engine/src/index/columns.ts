import type { FieldSpec, FieldValue, GeoPoint } from '@doska/core/vasgen';
import { grown } from './bits.ts';
import type { EnumDictionary } from './enum-dictionary.ts';
import { EnumColumn } from './enum-column.ts';
import { EnumsColumn } from './enums-column.ts';
import { StringsColumn } from './strings-column.ts';
import { VectorColumn } from './vector-column.ts';

/** Numbers; NaN is missing. Sealed in single precision where that loses nothing. */
export class NumberColumn {
  readonly kind = 'number';
  values: Float64Array | Float32Array;
  constructor(values: Float64Array | Float32Array = new Float64Array(0)) {
    this.values = values;
  }

  put(at: number, value: FieldValue | undefined): void {
    this.values[at] = typeof value === 'number' ? value : Number.NaN;
  }
  valueAt(at: number): number | undefined {
    const value = this.values[at]!;
    return Number.isNaN(value) ? undefined : value;
  }
  has(at: number): boolean {
    return !Number.isNaN(this.values[at]);
  }
  grow(length: number): void {
    this.values = grown(this.values, length);
  }
  seal(count: number): void {
    const values = this.values.subarray(0, count);
    const single = Float32Array.from(values);
    for (let at = 0; at < count; at++)
      if (!Object.is(single[at], values[at])) return void (this.values = values.slice());
    this.values = single;
  }
  get bytes(): number {
    return this.values.byteLength;
  }
}

/** Degrees times this fit 32 bits: about a centimetre. */
const SCALE = 1e7;
const NOWHERE = 0x7fffffff;

export class GeoColumn {
  readonly kind = 'geo';
  lats: Int32Array;
  lons: Int32Array;
  constructor(lats: Int32Array = new Int32Array(0), lons: Int32Array = new Int32Array(0)) {
    this.lats = lats;
    this.lons = lons;
  }

  put(at: number, value: FieldValue | undefined): void {
    const point = value as GeoPoint | undefined;
    this.lats[at] = point ? Math.round(point.lat * SCALE) : NOWHERE;
    this.lons[at] = point ? Math.round(point.lon * SCALE) : NOWHERE;
  }
  valueAt(at: number): GeoPoint | undefined {
    const lat = this.lats[at]!;
    return lat === NOWHERE ? undefined : { lat: lat / SCALE, lon: this.lons[at]! / SCALE };
  }
  has(at: number): boolean {
    return this.lats[at] !== NOWHERE;
  }
  grow(length: number): void {
    this.lats = grown(this.lats, length);
    this.lons = grown(this.lons, length);
  }
  seal(count: number): void {
    this.lats = this.lats.slice(0, count);
    this.lons = this.lons.slice(0, count);
  }
  get bytes(): number {
    return this.lats.byteLength + this.lons.byteLength;
  }
}

/** Values that hardly repeat, as they are. */
export class StringColumn {
  readonly kind = 'string';
  readonly values: (string | undefined)[];
  constructor(values: (string | undefined)[] = []) {
    this.values = values;
  }

  put(at: number, value: FieldValue | undefined): void {
    this.values[at] = value as string | undefined;
  }
  valueAt(at: number): string | undefined {
    return this.values[at];
  }
  has(at: number): boolean {
    return this.values[at] !== undefined;
  }
  grow(): void {}
  seal(): void {}
  get bytes(): number {
    return this.values.reduce((sum, value) => sum + 8 + (value === undefined ? 0 : 24 + 2 * value.length), 0);
  }
}

/** One field's values in one segment. `valueAt` gives back what `put` took, as exactly as the schema promises. */
export type Column =
  NumberColumn | EnumColumn | EnumsColumn | StringColumn | StringsColumn | GeoColumn | VectorColumn;

/** Text has no column: its words are in postings and in the word stream. */
export const columnOf = (spec: FieldSpec, dictionary: EnumDictionary | undefined): Column | undefined => {
  switch (spec.kind) {
    case 'text':
      return undefined;
    case 'number':
      return new NumberColumn();
    case 'enum':
      return spec.multiple ? new EnumsColumn(dictionary!) : new EnumColumn(dictionary!);
    case 'boolean':
      return new EnumColumn(dictionary!);
    case 'string':
      return spec.multiple ? new StringsColumn() : new StringColumn();
    case 'geo':
      return new GeoColumn();
    case 'vector':
      return new VectorColumn(spec.dimension);
  }
};
