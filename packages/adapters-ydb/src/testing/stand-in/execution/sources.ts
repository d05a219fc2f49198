import type { Expression, Join, Select, Source } from '../syntax/ast.ts';
import { optional } from '../values/types.ts';
import type { Value } from '../values/values.ts';
import { YqlError } from '../yql-error.ts';
import { compileExpression } from './compile-expression.ts';
import { keyRangesOf } from './key-ranges.ts';
import type { QueryContext } from './query-context.ts';
import type { Relation, ScopeColumn } from './scope.ts';

type RunSelect = (select: Select, context: QueryContext) => Relation;
const renamed = ({ columns, rows }: Relation, source: string | undefined): Relation => ({
  columns: columns.map((column) => ({ ...column, source })),
  rows,
});

/** A list of structs as rows. */
const listRelation = (value: Expression, alias: string | undefined, context: QueryContext): Relation => {
  const { type, of } = compileExpression(value, context.scope([]));
  if (type.kind !== 'list' || type.item.kind !== 'struct')
    throw YqlError.type('AS_TABLE needs a list of structs');
  const columns = type.item.members.map(([name, member]) => ({ source: alias, name, type: member }));
  return { columns, rows: of([]) as readonly (readonly Value[])[] };
};
const tableColumns = (source: Extract<Source, { kind: 'table' }>, context: QueryContext): ScopeColumn[] => {
  if (source.view !== undefined) throw YqlError.unsupported(`VIEW ${source.view}`);
  const { schema } = context.table(source.path);
  return schema.columns.map(({ name, type }) => ({ source: source.alias ?? source.path, name, type }));
};

/** A source alone; of a table what the condition leaves of it. */
export const sourceRelation = (
  source: Source,
  where: Expression | undefined,
  context: QueryContext,
  run: RunSelect,
): Relation => {
  if (source.kind === 'list') return listRelation(source.value, source.alias, context);
  if (source.kind === 'named') return renamed(context.relation(source.name), source.alias);
  if (source.kind === 'select') return renamed(run(source.select, context), source.alias);
  const columns = tableColumns(source, context);
  const table = context.table(source.path);
  const ranges = keyRangesOf(table, source.alias ?? source.path, where, context.scope(columns));
  return { columns, rows: ranges.flatMap((range) => context.read(table, range).map(({ row }) => row)) };
};

const equalities = (on: Expression): readonly (readonly [Expression, Expression])[] => {
  if (on.kind === 'binary' && on.operator === 'AND') return [...equalities(on.left), ...equalities(on.right)];
  if (on.kind === 'binary' && on.operator === '=') return [[on.left, on.right]];
  throw YqlError.unsupported('ON with anything but equalities');
};
/** Rows of a table that a row of the left side can meet: by as much of the key as the equalities tell. */
const lookup = (
  source: Extract<Source, { kind: 'table' }>,
  pairs: readonly (readonly [Expression, Expression])[],
  left: Relation,
  context: QueryContext,
) => {
  const table = context.table(source.path);
  const alias = source.alias ?? source.path;
  const scope = context.scope(left.columns);
  const mine = (one: Expression, name: string): boolean =>
    one.kind === 'column' && one.source === alias && one.name === name;
  const key: ((row: readonly Value[]) => Value)[] = [];
  for (const name of table.schema.primaryKey) {
    const pair = pairs.find(([a, b]) => mine(a, name) || mine(b, name));
    if (!pair) break;
    key.push(compileExpression(mine(pair[0], name) ? pair[1] : pair[0], scope).of);
  }
  return (row: readonly Value[]): readonly (readonly Value[])[] => {
    const prefix = key.map((of) => of(row));
    return context.read(table, { low: prefix, high: prefix }).map((found) => found.row);
  };
};
export const joined = (
  left: Relation,
  { kind, source, on }: Join,
  context: QueryContext,
  run: RunSelect,
): Relation => {
  const pairs = equalities(on);
  const other = source.kind === 'table' ? undefined : sourceRelation(source, undefined, context, run);
  const columns = source.kind === 'table' ? tableColumns(source, context) : other!.columns;
  const candidates = source.kind === 'table' ? lookup(source, pairs, left, context) : () => other!.rows;
  const both = [...left.columns, ...columns];
  const meets = compileExpression(on, context.scope(both));
  const rows = left.rows.flatMap((row) => {
    const met = candidates(row)
      .map((found) => [...row, ...found])
      .filter((one) => meets.of(one) === true);
    return met.length === 0 && kind === 'LEFT' ? [[...row, ...columns.map(() => null)]] : met;
  });
  const right =
    kind === 'LEFT' ? columns.map((column) => ({ ...column, type: optional(column.type) })) : columns;
  return { columns: [...left.columns, ...right], rows };
};
