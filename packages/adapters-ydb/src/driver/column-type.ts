import type { Ydb } from 'ydb-sdk';
import { sdk } from './sdk.ts';

const { PrimitiveTypeId } = sdk.Ydb.Type;
/** How a type of YDB is sent: the field of the protobuf value, and the number of the type. */
const SCALARS = {
  Bool: { field: 'boolValue', id: PrimitiveTypeId.BOOL, native: 'boolean' },
  Int32: { field: 'int32Value', id: PrimitiveTypeId.INT32, native: 'number' },
  Uint32: { field: 'uint32Value', id: PrimitiveTypeId.UINT32, native: 'number' },
  Int64: { field: 'int64Value', id: PrimitiveTypeId.INT64, native: 'number' },
  Uint64: { field: 'uint64Value', id: PrimitiveTypeId.UINT64, native: 'number' },
  /** Microseconds since the epoch. */
  Timestamp: { field: 'uint64Value', id: PrimitiveTypeId.TIMESTAMP, native: 'number' },
  String: { field: 'bytesValue', id: PrimitiveTypeId.STRING, native: 'bytes' },
  Utf8: { field: 'textValue', id: PrimitiveTypeId.UTF8, native: 'string' },
} as const;

export type Scalar = keyof typeof SCALARS;
/** `Utf8?` is nullable. */
export type ColumnType = Scalar | `${Scalar}?`;
type ScalarValue<S extends Scalar> = S extends 'Bool'
  ? boolean
  : S extends 'Utf8'
    ? string
    : S extends 'String'
      ? Uint8Array
      : number;
export type ValueOf<C extends ColumnType> = C extends `${infer S extends Scalar}?`
  ? ScalarValue<S> | undefined
  : C extends Scalar
    ? ScalarValue<C>
    : never;
export type StructSpec = Readonly<Record<string, ColumnType>>;
export type RowOf<S extends StructSpec> = { readonly [Name in keyof S]: ValueOf<S[Name]> };

export const scalarOf = (type: ColumnType): Scalar => type.replace('?', '') as Scalar;
export const isNullable = (type: ColumnType): boolean => type.endsWith('?');
export const wireType = (type: ColumnType): Ydb.IType => {
  const item = { typeId: SCALARS[scalarOf(type)].id };
  return isNullable(type) ? { optionalType: { item } } : item;
};
export const isWireType = (type: ColumnType, wire: Ydb.IType | null | undefined): boolean =>
  (isNullable(type) ? wire?.optionalType?.item?.typeId : wire?.typeId) === SCALARS[scalarOf(type)].id;

type Native = boolean | number | string | Uint8Array | undefined;
const nativeOf = (value: NonNullable<Native>): string =>
  value instanceof Uint8Array ? 'bytes' : typeof value;
/** Refuses a number that is not whole or too big, and a value of another type: the encoder of ydb-sdk makes 0 of a bigint. */
export const encodeValue = (type: ColumnType, value: Native): Ydb.IValue => {
  if (value === undefined) {
    if (!isNullable(type)) throw new TypeError(`a value of ${type} is missing`);
    return { nullFlagValue: 0 };
  }
  if (nativeOf(value) !== SCALARS[scalarOf(type)].native)
    throw new TypeError(`a ${nativeOf(value)} is not a ${type}`);
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new TypeError(`${value} is not an exact ${type}`);
  return { [SCALARS[scalarOf(type)].field]: value };
};
/** 64-bit integers arrive as objects; the conversion of ydb-sdk loses their sign. */
export const decodeValue = (type: ColumnType, value: Ydb.IValue): Native => {
  if (isNullable(type) && value.nullFlagValue !== undefined && value.nullFlagValue !== null) return undefined;
  const found = value[SCALARS[scalarOf(type)].field];
  if (typeof found === 'boolean' || typeof found === 'string') return found;
  if (found instanceof Uint8Array) return found;
  if (found === undefined || found === null) throw new TypeError(`the answer holds no ${type}`);
  const number = Number(found.toString());
  if (!Number.isSafeInteger(number)) throw new TypeError(`${found.toString()} does not fit a number`);
  return number;
};
