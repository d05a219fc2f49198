/** SQL types of a column. `bytes` travels as a slice of one `bytea` parameter; `?` allows null. */
type Scalar = 'smallint' | 'integer' | 'bigint' | 'text' | 'bytes';
export type ColumnType = Scalar | `${Scalar}?`;
/** The columns of rows that travel together, in the order in which they are sent. */
export type RowSet = Readonly<Record<string, ColumnType>>;
export type RowSets = Readonly<Record<string, RowSet>>;

type ScalarValue<S> = S extends 'text' ? string : S extends 'bytes' ? Uint8Array : number;
type ValueOf<T extends ColumnType> = T extends `${infer S}?` ? ScalarValue<S> | null : ScalarValue<T>;
export type RowOf<S extends RowSet> = { readonly [Column in keyof S]: ValueOf<S[Column]> };
/** The rows of a call: push into these. */
export type RowsOf<Sets extends RowSets> = { readonly [Name in keyof Sets]: RowOf<Sets[Name]>[] };

export const noRows = <Sets extends RowSets>(sets: Sets): RowsOf<Sets> =>
  Object.fromEntries(Object.keys(sets).map((name) => [name, []])) as unknown as RowsOf<Sets>;

/** One array parameter: the column's name and the SQL type of an element. */
export type ArrayColumn = { readonly name: string; readonly type: string };
const isBytes = (type: ColumnType): boolean => type.startsWith('bytes');

/** A `bytes` column is sent as two arrays: where its slice starts, counted from 1 as SQL does, and its length. */
export const arrayColumns = (set: RowSet): readonly ArrayColumn[] =>
  Object.entries(set).flatMap(([name, type]) =>
    isBytes(type)
      ? [
          { name: `${name}_start`, type: 'integer' },
          { name: `${name}_length`, type: 'integer' },
        ]
      : [{ name, type: type.replace('?', '') }],
  );

/** Rows of a statement's own array parameters, which are `$1`, `$2` and so on, to stand in a `from`. */
export const unnestOf = (set: RowSet, alias: string): string => {
  const columns = arrayColumns(set);
  const arrays = columns.map(({ type }, i) => `$${i + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) ${alias}(${columns.map(({ name }) => name).join(', ')})`;
};

/** Collects the bytes of all rows into one parameter: an array of `bytea` would be sent as text, twice as long. */
export class Frame {
  readonly #parts: Uint8Array[] = [];
  #next = 1;
  /** Returns where the slice starts, counted from 1. */
  add(bytes: Uint8Array): number {
    const start = this.#next;
    this.#parts.push(bytes);
    this.#next += bytes.length;
    return start;
  }
  get bytes(): Buffer {
    return Buffer.concat(this.#parts, this.#next - 1);
  }
}

const quoted = (text: string): string =>
  /["\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
const literal = (cell: string | number | null): string | number =>
  cell === null ? 'NULL' : typeof cell === 'number' ? cell : quoted(cell);

type AnyRow = Readonly<Record<string, string | number | Uint8Array | null>>;
const pushSlices = (rows: readonly AnyRow[], column: string, frame: Frame, into: string[]): void => {
  const starts: (string | number)[] = [];
  const lengths: (string | number)[] = [];
  for (const row of rows) {
    const bytes = row[column] as Uint8Array | null;
    starts.push(bytes === null ? 'NULL' : frame.add(bytes));
    lengths.push(bytes === null ? 'NULL' : bytes.length);
  }
  into.push(`{${starts.join()}}`);
  into.push(`{${lengths.join()}}`);
};

/**
 * The array parameters of a row set, in the order of `arrayColumns`. This code writes the array literals itself:
 * the driver would inspect the type of every value.
 *
 * Without rows every parameter is null. `unnest` gives no row for null, and the server has no literal to parse.
 */
export const arraysOf = <S extends RowSet>(
  set: S,
  rows: readonly RowOf<S>[],
  frame: Frame,
): readonly (string | null)[] => {
  if (rows.length === 0) return arrayColumns(set).map(() => null);
  const arrays: string[] = [];
  for (const [column, type] of Object.entries(set)) {
    if (isBytes(type)) pushSlices(rows, column, frame, arrays);
    else {
      const cells: (string | number)[] = [];
      for (const row of rows as readonly AnyRow[]) cells.push(literal(row[column] as string | number | null));
      arrays.push(`{${cells.join()}}`);
    }
  }
  return arrays;
};
