import { utf8Bytes, type Violation } from '../../kernel/index.ts';
import { freshnessFault, type Freshness } from '../document/freshness.ts';
import { isMultiple, VALUES_MAX, type FieldSpec, type IndexSchema } from './index-schema.ts';

export type GeoPoint = { readonly lat: number; readonly lon: number };
export type FieldValue = string | number | boolean | GeoPoint | readonly number[] | readonly string[];
/** A field that is absent is missing, and so is an empty list of values: no filter on it matches, and sorts put the document last. */
export type DocumentFields = Readonly<Record<string, FieldValue>>;

/** One document's next state, with its place in the document's history. A delete of an unknown document is remembered too. */
export type IndexChange = {
  readonly pk: string;
  readonly freshness: Freshness;
  readonly event: 'upsert' | 'delete';
  readonly fields?: DocumentFields;
};

/** OpenSearch refuses longer ids and keywords, and with them the whole request: so they are refused one by one here. */
export const PK_BYTES_MAX = 512;
export const KEYWORD_BYTES_MAX = 32_766;

/** Larger numbers, multiplied by the boosts of a plan, overflow a score, and paging loses documents. */
export const NUMBER_MAX = 1e24;

const isWithin = (value: unknown, max: number): boolean =>
  typeof value === 'number' && Math.abs(value) <= max; // NaN compares false
/** A point on Earth. Values come from outside, so nothing is taken for granted. */
export const isGeoPoint = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const { lat, lon } = value as Partial<GeoPoint>;
  return isWithin(lat, 90) && isWithin(lon, 180);
};
/** Vectors are stored as 32-bit floats. */
export const isFloat32 = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(Math.fround(value));

const isKeyword = (value: FieldValue): boolean =>
  typeof value === 'string' &&
  (value.length * 3 <= KEYWORD_BYTES_MAX || utf8Bytes(value) <= KEYWORD_BYTES_MAX);

const isKeywords = (value: FieldValue): boolean =>
  Array.isArray(value) && value.length <= VALUES_MAX && (value as readonly FieldValue[]).every(isKeyword);

const isVector = (value: FieldValue, dimension: number): boolean =>
  Array.isArray(value) && value.length === dimension && value.every(isFloat32);

const fits = (spec: FieldSpec, value: FieldValue): boolean => {
  switch (spec.kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return isWithin(value, NUMBER_MAX);
    case 'boolean':
      return typeof value === 'boolean';
    case 'enum':
    case 'string':
      return isMultiple(spec) ? isKeywords(value) : isKeyword(value);
    case 'geo':
      return isGeoPoint(value);
    case 'vector':
      return isVector(value, spec.dimension);
  }
};

const wanted = (spec: FieldSpec): string =>
  isMultiple(spec) ? `a list of up to ${VALUES_MAX} values of ${spec.kind}` : spec.kind;

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
/** A change comes from outside: what the types promise is checked first. */
const shapeFaults = (change: IndexChange): readonly Violation[] => {
  const wrong = (path: string, message: string): Violation => ({ path, code: 'TYPE', message });
  if (!isObject(change)) return [wrong('', 'expected a change')];
  const { pk, freshness, event, fields } = change;
  return [
    ...(typeof pk === 'string' ? [] : [wrong('pk', 'expected a string')]),
    ...(isObject(freshness) ? [] : [wrong('freshness', 'expected a freshness')]),
    ...(event === 'upsert' || event === 'delete' ? [] : [wrong('event', 'expected upsert or delete')]),
    ...(fields === undefined || (isObject(fields) && !Array.isArray(fields))
      ? []
      : [wrong('fields', 'expected fields by name')]),
  ];
};

/** What keeps a change out of an index of this schema; empty when nothing does. Types are never coerced. */
export const changeFaults = (
  schema: IndexSchema,
  epoch: number,
  change: IndexChange,
): readonly Violation[] => {
  const shape = shapeFaults(change);
  if (shape.length > 0) return shape;
  const { pk, freshness, event, fields = {} } = change;
  const faults: Violation[] = [];
  if (pk === '' || utf8Bytes(pk) > PK_BYTES_MAX)
    faults.push({ path: 'pk', code: 'LENGTH', message: `1 to ${PK_BYTES_MAX} bytes` });
  const place = freshnessFault(freshness);
  if (place) faults.push({ path: `freshness.${place}`, code: 'RANGE', message: 'a whole number below 2^53' });
  if (freshness.epoch !== epoch)
    faults.push({ path: 'freshness.epoch', code: 'EPOCH', message: `this index is of epoch ${epoch}` });
  if (event === 'delete') return faults;
  for (const name of Object.keys(fields)) {
    const spec = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (!spec) faults.push({ path: name, code: 'UNKNOWN', message: 'the schema has no such field' });
    else if (!fits(spec, fields[name]!))
      faults.push({ path: name, code: 'TYPE', message: `expected ${wanted(spec)}` });
  }
  return faults;
};
