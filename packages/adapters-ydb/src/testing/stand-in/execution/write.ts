import type { Expression, Rows, StatementOf } from '../syntax/ast.ts';
import { columnIndex, notNull } from '../storage/table-schema.ts';
import { pointOf, type Key } from '../storage/key-range.ts';
import type { Table } from '../storage/table.ts';
import { typeText } from '../values/types.ts';
import { compareKeys, type Value } from '../values/values.ts';
import { YqlError } from '../yql-error.ts';
import { adapted, compileExpression, type Compiled } from './compile-expression.ts';
import type { QueryContext } from './query-context.ts';
import { runSelect } from './select.ts';
import { sourceRelation } from './sources.ts';

const indexOf = (table: Table, name: string): number => {
  const index = columnIndex(table.schema, name);
  if (index < 0) throw YqlError.type(`No such column: ${name} in ${table.path}`);
  return index;
};
/** The value as the column takes it: the same type, or a value that is there for one that may be null. */
const fitted = (table: Table, index: number, given: Compiled): Compiled => {
  const column = table.schema.columns[index]!;
  const fitting = adapted(given, column.type);
  if (!fitting)
    throw YqlError.type(
      `Failed to convert type: ${typeText(given.type)} to ${typeText(column.type)} of column ${column.name}`,
    );
  return fitting;
};
type Given = { readonly columns: readonly number[]; readonly rows: readonly (readonly Value[])[] };

const givenRows = (
  table: Table,
  named: readonly string[] | undefined,
  rows: Rows,
  context: QueryContext,
): Given => {
  if (rows.kind === 'values') {
    if (!named) throw YqlError.unsupported('VALUES without the names of columns');
    const columns = named.map((name) => indexOf(table, name));
    const scope = context.scope([]);
    const values = rows.rows.map((row) => {
      if (row.length !== columns.length) throw YqlError.type('VALUES have another length than the columns');
      return row.map((value, i) => fitted(table, columns[i]!, compileExpression(value, scope)).of([]));
    });
    return { columns, rows: values };
  }
  const found = runSelect(rows.select, context);
  const names = named ?? found.columns.map(({ name }) => name);
  if (names.length !== found.columns.length)
    throw YqlError.type('SELECT has another length than the columns');
  const columns = names.map((name) => indexOf(table, name));
  found.columns.forEach(({ type }, i) =>
    fitted(table, columns[i]!, { type, constant: false, of: (row) => row[i]! }),
  );
  return { columns, rows: found.rows };
};
const keyed = (
  table: Table,
  { columns, rows }: Given,
): readonly { key: Key; values: Map<number, Value> }[] => {
  for (const index of table.keyColumns)
    if (!columns.includes(index))
      throw YqlError.type(`Missing key column in input: ${table.schema.columns[index]!.name}`);
  const found = rows.map((row) => {
    const values = new Map(columns.map((column, i) => [column, row[i]!]));
    return { key: table.keyColumns.map((index) => values.get(index)!), values };
  });
  const keys = found.map(({ key }) => key).sort(compareKeys);
  if (keys.some((key, i) => i > 0 && compareKeys(keys[i - 1]!, key) === 0))
    throw YqlError.unsupported(`two rows with one key in one statement, in ${table.path}`);
  return found;
};

export const runWrite = (
  { verb, table: path, columns, rows, returning }: StatementOf<'write'>,
  context: QueryContext,
): void => {
  if (returning) throw YqlError.unsupported('RETURNING');
  const table = context.table(path);
  const given = givenRows(table, columns, rows, context);
  for (const [index, column] of table.schema.columns.entries())
    if (notNull(column) && !given.columns.includes(index))
      throw new YqlError(
        'BAD_REQUEST',
        `Missing not null column in input: ${column.name}. All not null columns should be initialized`,
      );
  for (const { key, values } of keyed(table, given)) {
    if (verb === 'INSERT' && context.read(table, pointOf(key)).length > 0)
      throw new YqlError('PRECONDITION_FAILED', 'Conflict with existing key.');
    context.tx.write(table, key, { kind: verb === 'UPSERT' ? 'upsert' : 'replace', columns: values });
  }
  context.writes(table);
};
const matching = (table: Table, path: string, where: Expression | undefined, context: QueryContext) => {
  const source = { kind: 'table', path, view: undefined, alias: undefined } as const;
  const { columns, rows } = sourceRelation(source, where, context, runSelect);
  const scope = context.scope(columns);
  const condition = where && compileExpression(where, scope);
  return { scope, rows: rows.filter((row) => !condition || condition.of(row) === true) };
};
export const runUpdate = (
  { table: path, set, where, returning }: StatementOf<'update'>,
  context: QueryContext,
): void => {
  if (returning) throw YqlError.unsupported('RETURNING');
  const table = context.table(path);
  const { scope, rows } = matching(table, path, where, context);
  const assigned = set.map(([name, value]) => {
    const index = indexOf(table, name);
    if (table.keyColumns.includes(index)) throw YqlError.type(`Cannot update primary key column: ${name}`);
    return [index, fitted(table, index, compileExpression(value, scope))] as const;
  });
  for (const row of rows) {
    const columns = new Map(assigned.map(([index, value]) => [index, value.of(row)]));
    context.tx.write(table, table.keyOf(row), { kind: 'upsert', columns });
  }
  context.writes(table);
};
/** Rows that are not there stay away. */
export const runUpdateOn = (
  { table: path, rows, returning }: StatementOf<'updateOn'>,
  context: QueryContext,
): void => {
  if (returning) throw YqlError.unsupported('RETURNING');
  const table = context.table(path);
  for (const { key, values } of keyed(table, givenRows(table, undefined, rows, context)))
    if (context.read(table, pointOf(key)).length > 0)
      context.tx.write(table, key, { kind: 'upsert', columns: values });
  context.writes(table);
};
export const runDelete = (
  { table: path, where, returning }: StatementOf<'delete'>,
  context: QueryContext,
): void => {
  if (returning) throw YqlError.unsupported('RETURNING');
  const table = context.table(path);
  for (const row of matching(table, path, where, context).rows)
    context.tx.write(table, table.keyOf(row), { kind: 'delete' });
  context.writes(table);
};
export const runDeleteOn = (
  { table: path, rows, returning }: StatementOf<'deleteOn'>,
  context: QueryContext,
): void => {
  if (returning) throw YqlError.unsupported('RETURNING');
  const table = context.table(path);
  const given = keyed(table, givenRows(table, undefined, rows, context));
  if (given.some(({ values }) => values.size !== table.keyColumns.length))
    throw YqlError.type('DELETE ON takes the columns of the key and no others');
  for (const { key } of given) context.tx.write(table, key, { kind: 'delete' });
  context.writes(table);
};
