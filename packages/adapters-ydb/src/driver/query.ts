import type { Ydb } from 'ydb-sdk';
import {
  decodeValue,
  encodeValue,
  isWireType,
  wireType,
  type ColumnType,
  type RowOf,
  type Scalar,
  type StructSpec,
  type ValueOf,
} from './column-type.ts';

/** A list of values, or of rows for `AS_TABLE`. */
export type ListOf<S extends Scalar> = { readonly list: S };
export type RowsOf<S extends StructSpec> = { readonly rows: S };
export type ParameterType = ColumnType | ListOf<Scalar> | RowsOf<StructSpec>;
type ParameterValue<P extends ParameterType> = P extends ColumnType
  ? ValueOf<P>
  : P extends ListOf<infer S>
    ? readonly ValueOf<S>[]
    : P extends RowsOf<infer S>
      ? readonly RowOf<S>[]
      : never;
export type ParameterSpec = Readonly<Record<string, ParameterType>>;
export type ParametersOf<P extends ParameterSpec> = { readonly [Name in keyof P]: ParameterValue<P[Name]> };
export type ResultsOf<R extends readonly StructSpec[]> = { readonly [I in keyof R]: readonly RowOf<R[I]>[] };

/**
 * A YQL text with the types of its parameters and results. The same types make the declarations and encode the values,
 * so the two cannot differ. Results are checked against the expected types.
 */
export type Query<
  P extends ParameterSpec = ParameterSpec,
  R extends readonly StructSpec[] = readonly StructSpec[],
> = {
  readonly name: string;
  readonly parameters: P;
  readonly results: R;
  readonly text: string;
};
export const query = <const P extends ParameterSpec, const R extends readonly StructSpec[]>(
  definition: Query<P, R>,
): Query<P, R> => definition;
export const list = <const S extends Scalar>(scalar: S): ListOf<S> => ({ list: scalar });
export const rows = <const S extends StructSpec>(struct: S): RowsOf<S> => ({ rows: struct });

const typeText = (type: ParameterType): string => {
  if (typeof type === 'string') return type;
  if ('list' in type) return `List<${type.list}>`;
  const members = Object.entries(type.rows).map(([name, column]) => `${name}:${column}`);
  return `List<Struct<${members.join(',')}>>`;
};
/** The complete text that is sent. `directory` is the full path of the tables. */
export const queryText = ({ parameters, text }: Query, directory: string): string =>
  [
    `PRAGMA TablePathPrefix("${directory}");`,
    ...Object.entries(parameters).map(([name, type]) => `DECLARE $${name} AS ${typeText(type)};`),
    text,
  ].join('\n');

const encodeParameter = (type: ParameterType, value: unknown): Ydb.ITypedValue => {
  if (typeof type === 'string') return { type: wireType(type), value: encodeValue(type, value as never) };
  if ('list' in type) {
    const items = (value as readonly never[]).map((item) => encodeValue(type.list, item));
    return { type: { listType: { item: wireType(type.list) } }, value: { items } };
  }
  const columns = Object.entries(type.rows);
  const members = columns.map(([name, column]) => ({ name, type: wireType(column) }));
  const items = (value as readonly Record<string, never>[]).map((row) => ({
    items: columns.map(([name, column]) => encodeValue(column, row[name])),
  }));
  return { type: { listType: { item: { structType: { members } } } }, value: { items } };
};
export const encodeParameters = <P extends ParameterSpec>(
  spec: P,
  given: ParametersOf<P>,
): Record<string, Ydb.ITypedValue> =>
  Object.fromEntries(
    Object.entries(spec).map(([name, type]) => [`$${name}`, encodeParameter(type, given[name])]),
  );

const decodeRows = (name: string, spec: StructSpec, set: Ydb.IResultSet | undefined): unknown[] => {
  // The server truncates long results and reports success.
  if (set?.truncated) throw new Error(`${name}: the result was truncated`);
  const found = set?.columns ?? [];
  const columns = Object.entries(spec).map(([column, type]) => {
    const at = found.findIndex((one) => one.name === column);
    if (!isWireType(type, found[at]?.type))
      throw new TypeError(`${name}: the answer has no ${column} of ${type}`);
    return { column, type, at };
  });
  return (set?.rows ?? []).map(({ items }) =>
    Object.fromEntries(columns.map(({ column, type, at }) => [column, decodeValue(type, items![at]!)])),
  );
};
export const decodeResults = <R extends readonly StructSpec[]>(
  { name, results }: Query<ParameterSpec, R>,
  sets: readonly Ydb.IResultSet[],
): ResultsOf<R> => {
  if (sets.length !== results.length)
    throw new TypeError(`${name}: ${sets.length} results instead of ${results.length}`);
  return results.map((spec, i) => decodeRows(name, spec, sets[i])) as unknown as ResultsOf<R>;
};
