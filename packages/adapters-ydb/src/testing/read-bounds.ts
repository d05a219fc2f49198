import type { Expression, Rows, Select, Source, Statement } from './stand-in/syntax/ast.ts';
import { isSelect } from './stand-in/syntax/ast.ts';

/** The columns of the primary key of each table. */
export type Keys = ReadonlyMap<string, readonly string[]>;
/**
 * Why a statement reads a bounded number of rows of a table.
 * - `wholeKey`: the whole primary key is given, by values or by a join, so it needs no LIMIT.
 * - `range`: it reads behind or in front of a place of the key, in the order of the key, up to a LIMIT.
 * - `first`: it reads the first rows of the table in the order of the key, up to a LIMIT.
 */
export type Bound = 'wholeKey' | 'range' | 'first';
export type TableRead = { readonly table: string; readonly bound: Bound | { readonly missing: string } };

const conjuncts = (expression: Expression | undefined): readonly Expression[] => {
  if (!expression) return [];
  return expression.kind === 'binary' && expression.operator === 'AND'
    ? [...conjuncts(expression.left), ...conjuncts(expression.right)]
    : [expression];
};
const isColumn = (expression: Expression, name: string, alias: string | undefined): boolean =>
  expression.kind === 'column' &&
  expression.name === name &&
  (expression.source === undefined || expression.source === alias);
const equals = (part: Expression, name: string, alias: string | undefined): boolean => {
  if (part.kind === 'in') return !part.negated && isColumn(part.operand, name, alias);
  if (part.kind !== 'binary' || part.operator !== '=') return false;
  return isColumn(part.left, name, alias) || isColumn(part.right, name, alias);
};
const bounds = (part: Expression, name: string, alias: string | undefined): boolean =>
  part.kind === 'binary' &&
  ['<', '<=', '>', '>='].includes(part.operator) &&
  (isColumn(part.left, name, alias) || isColumn(part.right, name, alias));

const boundOf = (
  key: readonly string[],
  where: Expression | undefined,
  alias: string | undefined,
  select: Pick<Select, 'orderBy' | 'limit'>,
): TableRead['bound'] => {
  const parts = conjuncts(where);
  const given = (name: string): boolean => parts.some((part) => equals(part, name, alias));
  if (key.every(given)) return 'wholeKey';
  const [first] = key;
  const begins = given(first!) || parts.some((part) => bounds(part, first!, alias));
  if (!begins && where) return { missing: 'a condition on the first column of the key' };
  if (!select.limit) return { missing: 'a LIMIT' };
  const inOrder =
    select.orderBy.length > 0 &&
    select.orderBy.every(
      ({ value, descending }, i) =>
        isColumn(value, key[i] ?? '', alias) && descending === select.orderBy[0]!.descending,
    );
  if (!inOrder) return { missing: 'ORDER BY the columns of the key' };
  return begins ? 'range' : 'first';
};

const ofSource = (source: Source, select: Select, keys: Keys): readonly TableRead[] => {
  if (source.kind === 'select') return readsOf(source.select, keys);
  if (source.kind !== 'table') return [];
  const key = keys.get(source.path);
  const alias = source.alias ?? source.path;
  const bound = key ? boundOf(key, select.where, alias, select) : { missing: 'a table of the migrations' };
  return [{ table: source.path, bound }];
};
const ofJoin = ({ source, on }: Select['joins'][number], keys: Keys): readonly TableRead[] => {
  if (source.kind === 'select') return readsOf(source.select, keys);
  if (source.kind !== 'table') return [];
  const key = keys.get(source.path) ?? [];
  const parts = conjuncts(on);
  const whole = key.length > 0 && key.every((name) => parts.some((part) => equals(part, name, source.alias)));
  return [{ table: source.path, bound: whole ? 'wholeKey' : { missing: 'a join by the whole key' } }];
};
/** What a SELECT reads of tables, with what it reads inside of FROM. */
const readsOf = (select: Select, keys: Keys): readonly TableRead[] => [
  ...(select.from ? ofSource(select.from, select, keys) : []),
  ...select.joins.flatMap((join) => ofJoin(join, keys)),
];
const ofRows = (rows: Rows, keys: Keys): readonly TableRead[] =>
  rows.kind === 'select' ? readsOf(rows.select, keys) : [];

/** Every read of a table in a statement. */
export const tableReads = (statement: Statement, keys: Keys): readonly TableRead[] => {
  switch (statement.kind) {
    case 'select':
      return readsOf(statement.select, keys);
    case 'assign':
      return isSelect(statement.value) ? readsOf(statement.value, keys) : [];
    case 'write':
    case 'updateOn':
    case 'deleteOn':
      return ofRows(statement.rows, keys);
    case 'update':
    case 'delete': {
      const key = keys.get(statement.table) ?? [];
      const bound = boundOf(key, statement.where, statement.table, { orderBy: [], limit: undefined });
      return [{ table: statement.table, bound }];
    }
    case 'pragma':
    case 'declare':
    case 'createTable':
    case 'alterTable':
    case 'dropTable':
      return [];
  }
};
