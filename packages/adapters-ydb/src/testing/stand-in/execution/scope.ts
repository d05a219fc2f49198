import type { Value } from '../values/values.ts';
import type { YqlType } from '../values/types.ts';
import { YqlError } from '../yql-error.ts';

export type ScopeColumn = {
  readonly source: string | undefined;
  readonly name: string;
  readonly type: YqlType;
};
export type Typed = { readonly type: YqlType; readonly value: Value };
/** Columns with their rows: a table, a list, a SELECT's outcome, a join. */
export type Relation = {
  readonly columns: readonly ScopeColumn[];
  readonly rows: readonly (readonly Value[])[];
};

/** What an expression may name. */
export type Scope = {
  readonly columns: readonly ScopeColumn[];
  readonly named: (name: string) => Typed;
  /** The time of the query: it stands still while the query runs. */
  readonly nowUs: bigint;
};
export const findColumn = (
  { columns }: Pick<Scope, 'columns'>,
  source: string | undefined,
  name: string,
): number => {
  const found = columns.flatMap((column, i) =>
    column.name === name && (source === undefined || column.source === source) ? [i] : [],
  );
  const written = source === undefined ? name : `${source}.${name}`;
  if (found.length === 0) throw YqlError.type(`Member not found: ${written}`);
  if (found.length > 1) throw YqlError.type(`${written} is ambiguous`);
  return found[0]!;
};
