import { arrayColumns, arraysOf, Frame, type RowSets, type RowsOf } from './row-set.ts';

/** SQL types of single parameters, which stand before the row sets. */
type Values = Readonly<Record<string, 'bytea' | 'bigint' | 'text'>>;
type Value<T> = T extends 'bytea' ? Buffer : T extends 'bigint' ? number : string;
type ValuesOf<V extends Values> = { readonly [Name in keyof V]: Value<V[Name]> };

/** What the text of a function's file is filled in from. */
export type FunctionSpec = {
  readonly name: string;
  readonly values: Values;
  readonly rows: RowSets;
};
/** A function of the database: the spec makes its signature (`functionText`) and its call, so that they always agree. */
export type SqlFunction<V extends Values, R extends RowSets> = FunctionSpec & {
  readonly values: V;
  readonly rows: R;
  /** Named arguments in the order of `argumentsOf`. */
  readonly call: string;
  argumentsOf(values: ValuesOf<V>, rows: RowsOf<R>): unknown[];
};

type Parameter = { readonly name: string; readonly type: string };
const parameterName = (set: string, column: string): string => `${set}_${column}`;
const hasBytes = (rows: RowSets): boolean =>
  Object.values(rows).some((set) => Object.values(set).some((type) => type.startsWith('bytes')));

/** Every parameter in its order: single values, an array for each column of a row set, the frame that `bytes` are slices of. */
export const parametersOf = ({ values, rows }: FunctionSpec): readonly Parameter[] => [
  ...Object.entries(values).map(([name, type]) => ({ name, type })),
  ...Object.entries(rows).flatMap(([set, columns]) =>
    arrayColumns(columns).map(({ name, type }) => ({ name: parameterName(set, name), type: `${type}[]` })),
  ),
  ...(hasBytes(rows) ? [{ name: 'frame', type: 'bytea' }] : []),
];

export const sqlFunction = <const V extends Values, const R extends RowSets>(
  spec: FunctionSpec & { readonly values: V; readonly rows: R },
): SqlFunction<V, R> => {
  const names = parametersOf(spec).map(({ name }) => name);
  const sets = Object.keys(spec.rows);
  return {
    ...spec,
    call: `${spec.name}(${names.map((name, i) => `${name} => $${i + 1}`).join(', ')})`,
    argumentsOf: (values, rows) => {
      const frame = new Frame();
      const found: unknown[] = Object.keys(spec.values).map((name) => values[name]);
      for (const set of sets)
        for (const array of arraysOf(spec.rows[set]!, rows[set]!, frame)) found.push(array);
      if (hasBytes(spec.rows)) found.push(frame.bytes);
      return found;
    },
  };
};
