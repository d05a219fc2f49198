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

  put(at: number, value: FieldValue): void {
    this.values[at] = value as number;
  }
  valueAt(at: number): number | undefined {
    const value = this.values[at]!;
    return Number.isNaN(value) ? undefined : value;
  }
  has(at: number): boolean {
    return !Number.isNaN(this.values[at]);
  }
  grow(length: number): void {
    const before = this.values.length;
    this.values = grown(this.values, length).fill(Number.NaN, before);
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

export class GeoColumn {
  readonly kind = 'geo';
  lats: Int32Array;
  lons: Int32Array;
  constructor(lats: Int32Array = new Int32Array(0), lons: Int32Array = new Int32Array(0)) {
    this.lats = lats;
    this.lons = lons;
  }

  put(at: number, value: FieldValue): void {
    const point = value as GeoPoint;
    this.lats[at] = Math.round(point.lat * SCALE);
    this.lons[at] = Math.round(point.lon * SCALE);
  }
  valueAt(at: number): GeoPoint {
    return { lat: this.lats[at]! / SCALE, lon: this.lons[at]! / SCALE };
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
  readonly values: string[];
  constructor(values: string[] = []) {
    this.values = values;
  }

  put(at: number, value: FieldValue): void {
    this.values[at] = value as string;
  }
  valueAt(at: number): string {
    return this.values[at]!;
  }
  grow(): void {}
  seal(): void {}
  get bytes(): number {
    return this.values.reduce((sum, value) => sum + 32 + 2 * value.length, 0);
  }
}

/** Values one after another. `valueAt` gives back what `put` took, as exactly as the schema promises. */
export type PackedColumn =
  NumberColumn | EnumColumn | EnumsColumn | StringColumn | StringsColumn | GeoColumn | VectorColumn;
/** Text has no column: its words are in postings and in the word stream. */
export const packedOf = (spec: FieldSpec, dictionary: EnumDictionary | undefined): PackedColumn => {
  switch (spec.kind) {
    case 'text':
      throw new Error('a text field has no column');
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
