import type { Expression, Select, SelectItem } from '../syntax/ast.ts';
import { bare, primitive, sameType, typeText } from '../values/types.ts';
import { compareKeys, compareValues, type Value } from '../values/values.ts';
import { YqlError } from '../yql-error.ts';
import { groupRows, hasAggregate } from './aggregate.ts';
import { adapted, compileExpression, type Compiled } from './compile-expression.ts';
import type { QueryContext } from './query-context.ts';
import type { Relation, ScopeColumn } from './scope.ts';
import { joined, sourceRelation } from './sources.ts';

const NOTHING: Relation = { columns: [], rows: [[]] };
type Output = { readonly name: string; readonly compiled: Compiled };

const outputs = (
  items: readonly SelectItem[],
  columns: readonly ScopeColumn[],
  compile: (one: Expression) => Compiled,
  isJoin: boolean,
): readonly Output[] => {
  const found = items.flatMap((item, place): readonly Output[] => {
    if (item.kind === 'star') {
      if (isJoin) throw YqlError.unsupported('* of a join');
      return columns.map((column, i) => ({
        name: column.name,
        compiled: { type: column.type, constant: false, of: (row) => row[i]! },
      }));
    }
    const { value, alias } = item;
    // How a join names a column that has no alias depends on settings of the server.
    if (isJoin && alias === undefined) throw YqlError.unsupported('a column of a join without AS');
    const name = alias ?? (value.kind === 'column' ? value.name : `column${place}`);
    return [{ name, compiled: compile(value) }];
  });
  if (new Set(found.map(({ name }) => name)).size !== found.length)
    throw YqlError.type('Duplicated member in SELECT');
  return found;
};
/** LIMIT and OFFSET are Uint64, known before any row is. */
const amount = (
  expression: Expression | undefined,
  context: QueryContext,
  what: string,
): number | undefined => {
  if (!expression) return undefined;
  const given = compileExpression(expression, context.scope([]));
  const count = adapted(given, primitive('Uint64'));
  if (!count) throw YqlError.type(`Mismatch type argument of ${what}: ${typeText(given.type)}`);
  return Number(count.of([]));
};
const ordered = (
  source: Relation,
  orderBy: Select['orderBy'],
  compile: (one: Expression) => Compiled,
): Relation => {
  // An answer without ORDER BY has no order; the order of the key would hide a missing one.
  if (orderBy.length === 0) return { ...source, rows: [...source.rows].reverse() };
  const terms = orderBy.map(({ value, descending }) => ({ term: compile(value), sign: descending ? -1 : 1 }));
  const order = (a: readonly Value[], b: readonly Value[]): number => {
    for (const { term, sign } of terms) {
      const by = compareValues(term.of(a), term.of(b));
      if (by !== 0) return sign * by;
    }
    return 0;
  };
  return { ...source, rows: [...source.rows].sort(order) };
};
const distinctRows = (rows: readonly (readonly Value[])[]): readonly (readonly Value[])[] =>
  rows.filter((row, i) => rows.findIndex((other) => compareKeys(other, row) === 0) === i);
const filtered = (source: Relation, condition: Expression | undefined, context: QueryContext): Relation => {
  if (!condition) return source;
  const compiled = compileExpression(condition, context.scope(source.columns));
  if (!sameType(bare(compiled.type), primitive('Bool'))) throw YqlError.type('a condition must be a Bool');
  return { ...source, rows: source.rows.filter((row) => compiled.of(row) === true) };
};

export const runSelect = (select: Select, context: QueryContext): Relation => {
  const { from, where, groupBy, having, orderBy } = select;
  const first = from ? sourceRelation(from, where, context, runSelect) : NOTHING;
  const all = select.joins.reduce((left, join) => joined(left, join, context, runSelect), first);
  let source = filtered(all, where, context);
  const asked = [
    ...select.items.flatMap((item) => (item.kind === 'value' ? [item.value] : [])),
    ...(having ? [having] : []),
    ...orderBy.map(({ value }) => value),
  ];
  let rewrite = (expression: Expression): Expression => expression;
  if (groupBy.length > 0 || asked.some(hasAggregate)) {
    const grouped = groupRows(source, groupBy, asked, context);
    ({ rewrite } = grouped);
    source = filtered(grouped.relation, having && rewrite(having), context);
  } else if (having) throw YqlError.type('HAVING without GROUP BY');
  const compile = (one: Expression): Compiled =>
    compileExpression(rewrite(one), context.scope(source.columns));
  const projected = outputs(select.items, source.columns, compile, select.joins.length > 0);
  const sorted = ordered(source, orderBy, compile);
  if (select.distinct && orderBy.length > 0) throw YqlError.unsupported('DISTINCT with ORDER BY');
  const rows = sorted.rows.map((row) => projected.map(({ compiled }) => compiled.of(row)));
  const offset = amount(select.offset, context, 'OFFSET') ?? 0;
  const limit = amount(select.limit, context, 'LIMIT');
  return {
    columns: projected.map(({ name, compiled }) => ({ source: undefined, name, type: compiled.type })),
    rows: (select.distinct ? distinctRows(rows) : rows).slice(
      offset,
      limit === undefined ? undefined : offset + limit,
    ),
  };
};
