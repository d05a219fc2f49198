import Long from 'long';
import { type Ydb } from 'ydb-sdk-proto';
import { YqlError } from '../yql-error.ts';
import { typeText, type Primitive, type PrimitiveName, type YqlType } from './types.ts';

/** Integers and times of every width are bigints; a struct is the list of its members' values in the order of its type. */
export type Value = null | boolean | bigint | number | string | Uint8Array | readonly Value[];

const BITS: Partial<Record<PrimitiveName, readonly [low: bigint, high: bigint]>> = {
  Uint8: [0n, 255n],
  Int32: [-(2n ** 31n), 2n ** 31n - 1n],
  Uint32: [0n, 2n ** 32n - 1n],
  Int64: [-(2n ** 63n), 2n ** 63n - 1n],
  Uint64: [0n, 2n ** 64n - 1n],
};
export const isInteger = (type: YqlType): type is Primitive => type.kind === 'primitive' && type.name in BITS;
export const fitsIn = (value: bigint, name: PrimitiveName): boolean => {
  const bounds = BITS[name];
  return bounds !== undefined && value >= bounds[0] && value <= bounds[1];
};

const FIELDS: Record<PrimitiveName, keyof Ydb.IValue> = {
  Bool: 'boolValue',
  Uint8: 'uint32Value',
  Int32: 'int32Value',
  Uint32: 'uint32Value',
  Int64: 'int64Value',
  Uint64: 'uint64Value',
  Double: 'doubleValue',
  Timestamp: 'uint64Value',
  Interval: 'int64Value',
  String: 'bytesValue',
  Utf8: 'textValue',
} as const;

const badValue = (type: YqlType): YqlError =>
  new YqlError('BAD_REQUEST', `the value does not fit its type ${typeText(type)}`);
const primitiveFromProto = (type: Primitive, value: Ydb.Value): Value => {
  const field = FIELDS[type.name];
  if (value.value !== field) throw badValue(type);
  const found = value[field];
  if (typeof found === 'boolean' || typeof found === 'string') return found;
  if (found instanceof Uint8Array) return Uint8Array.from(found);
  if (type.name === 'Double') return Number(found);
  const integer = BigInt((found as Long | number).toString());
  if (isInteger(type) && !fitsIn(integer, type.name)) throw badValue(type);
  return integer;
};
/** Strict: a null where none may be, a field of another type and a missing member are refused. */
export const valueFromProto = (type: YqlType, value: Ydb.Value): Value => {
  switch (type.kind) {
    case 'primitive':
      return primitiveFromProto(type, value);
    case 'optional':
      return value.value === 'nullFlagValue' ? null : valueFromProto(type.item, value);
    case 'list':
      return value.items.map((item) => valueFromProto(type.item, item as Ydb.Value));
    case 'tuple':
    case 'struct': {
      const types = type.kind === 'tuple' ? type.items : type.members.map(([, member]) => member);
      if (value.items.length !== types.length) throw badValue(type);
      return types.map((one, i) => valueFromProto(one, value.items[i] as Ydb.Value));
    }
    case 'null':
      return null;
  }
};
export const valueToProto = (type: YqlType, value: Value): Ydb.IValue => {
  if (type.kind === 'optional') return value === null ? { nullFlagValue: 0 } : valueToProto(type.item, value);
  if (type.kind === 'null') return { nullFlagValue: 0 };
  if (type.kind === 'list')
    return { items: (value as readonly Value[]).map((item) => valueToProto(type.item, item)) };
  if (type.kind === 'tuple' || type.kind === 'struct') {
    const types = type.kind === 'tuple' ? type.items : type.members.map(([, member]) => member);
    return { items: types.map((one, i) => valueToProto(one, (value as readonly Value[])[i]!)) };
  }
  const field = FIELDS[type.name];
  if (typeof value !== 'bigint') return { [field]: value };
  const wide = field === 'int64Value' || field === 'uint64Value';
  return { [field]: wide ? Long.fromString(value.toString(), field === 'uint64Value') : Number(value) };
};

/** Code units with surrogates behind everything else, which is the order of UTF-8 bytes. */
const rank = (unit: number): number =>
  Number.isNaN(unit) ? -1 : unit >= 0xe000 ? unit - 0x2000 : unit >= 0xd800 ? unit + 0x2000 : unit;
const compareTexts = (a: string, b: string): number => {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
};
/** The order of keys and of ORDER BY: null before everything. Both are of one type. */
export const compareValues = (a: Value, b: Value): number => {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  if (typeof a === 'string') return compareTexts(a, b as string);
  if (a instanceof Uint8Array) return Buffer.compare(a, b as Uint8Array);
  if (Array.isArray(a)) return compareKeys(a as readonly Value[], b as readonly Value[]);
  return a < b ? -1 : a > b ? 1 : 0;
};
/** As far as both go: a prefix equals everything that begins with it. */
export const compareKeys = (a: readonly Value[], b: readonly Value[]): number => {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareValues(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return 0;
};

/** About what a value takes in storage. */
export const bytesOf = (value: Value): number => {
  if (value === null || typeof value === 'boolean') return 1;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (typeof value === 'bigint' || typeof value === 'number') return 8;
  return value.reduce<number>((sum, item) => sum + bytesOf(item), 0);
};
