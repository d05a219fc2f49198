import type { Expression } from '../syntax/ast.ts';
import { bare, isOptional, optional, primitive, typeText, type YqlType } from '../values/types.ts';
import { compareKeys, compareValues, isInteger, type Value } from '../values/values.ts';
import { YqlError } from '../yql-error.ts';
import { compileExpression, type Compiled } from './compile-expression.ts';
import type { QueryContext } from './query-context.ts';
import { findColumn, type Relation, type ScopeColumn } from './scope.ts';

type Call = Extract<Expression, { kind: 'call' }>;
const AGGREGATES = new Set(['COUNT', 'SUM', 'MIN', 'MAX']);
const isAggregate = (expression: Expression): expression is Call =>
  expression.kind === 'call' && AGGREGATES.has(expression.name.toUpperCase());
/** Where an aggregate may stand inside of another expression. */
const partsOf = (expression: Expression): readonly Expression[] => {
  if (expression.kind === 'binary') return [expression.left, expression.right];
  return expression.kind === 'call' ? expression.args.map(({ value }) => value) : [];
};
export const hasAggregate = (expression: Expression): boolean =>
  isAggregate(expression) || partsOf(expression).some(hasAggregate);

type Aggregate = { readonly type: YqlType; readonly of: (rows: readonly (readonly Value[])[]) => Value };
const aggregateOf = (
  call: Call,
  compile: (expression: Expression) => Compiled,
  grouped: boolean,
): Aggregate => {
  const name = call.name.toUpperCase();
  if (call.distinct) throw YqlError.unsupported(`${name}(DISTINCT …)`);
  if (name === 'COUNT' && call.star) return { type: primitive('Uint64'), of: (rows) => BigInt(rows.length) };
  const argument = call.args.length === 1 ? compile(call.args[0]!.value) : undefined;
  if (!argument) throw YqlError.unsupported(`${name} of ${call.args.length} values`);
  const values = (rows: readonly (readonly Value[])[]): Value[] =>
    rows.map((row) => argument.of(row)).filter((value) => value !== null);
  if (name === 'COUNT') return { type: primitive('Uint64'), of: (rows) => BigInt(values(rows).length) };
  const inner = bare(argument.type);
  // Without GROUP BY there may be no row at all; then there is no sum and no least.
  const wrap = (type: YqlType): YqlType => (grouped && !isOptional(argument.type) ? type : optional(type));
  if (name === 'SUM') {
    if (!isInteger(inner)) throw YqlError.unsupported(`SUM of ${typeText(argument.type)}`);
    const sum = (found: readonly Value[]): Value =>
      found.reduce<bigint>((total, one) => total + (one as bigint), 0n);
    const type = primitive(inner.name.startsWith('U') ? 'Uint64' : 'Int64');
    return { type: wrap(type), of: (rows) => (values(rows).length === 0 ? null : sum(values(rows))) };
  }
  const sign = name === 'MIN' ? 1 : -1;
  return {
    type: wrap(inner),
    of: (rows) => values(rows).sort((a, b) => sign * compareValues(a, b))[0] ?? null,
  };
};

export type Grouped = {
  readonly relation: Relation;
  readonly rewrite: (expression: Expression) => Expression;
};
/** One row a group: its columns, then what was counted, under names of its own that `rewrite` puts in the calls' place. */
export const groupRows = (
  source: Relation,
  groupBy: readonly Expression[],
  asked: readonly Expression[],
  context: QueryContext,
): Grouped => {
  const keys = groupBy.map((expression) => {
    if (expression.kind !== 'column') throw YqlError.unsupported('GROUP BY anything but columns');
    return findColumn(source, expression.source, expression.name);
  });
  const calls: Call[] = [];
  const collect = (expression: Expression): void => {
    if (isAggregate(expression)) calls.push(expression);
    else partsOf(expression).forEach(collect);
  };
  asked.forEach(collect);
  const scope = context.scope(source.columns);
  const aggregates = calls.map((call) =>
    aggregateOf(call, (one) => compileExpression(one, scope), groupBy.length > 0),
  );
  const groups: { readonly key: readonly Value[]; readonly rows: (readonly Value[])[] }[] =
    groupBy.length > 0 ? [] : [{ key: [], rows: [] }];
  for (const row of source.rows) {
    const key = keys.map((index) => row[index]!);
    const group = groups.find((one) => compareKeys(one.key, key) === 0);
    if (group) group.rows.push(row);
    else groups.push({ key, rows: [row] });
  }
  const nameOf = (index: number): string => `aggregate ${index}`;
  const columns: ScopeColumn[] = [
    ...keys.map((index) => source.columns[index]!),
    ...aggregates.map(({ type }, index) => ({ source: undefined, name: nameOf(index), type })),
  ];
  const rows = groups.map(({ key, rows: members }) => [...key, ...aggregates.map((one) => one.of(members))]);
  const rewrite = (expression: Expression): Expression => {
    const index = calls.indexOf(expression as Call);
    if (index >= 0) return { kind: 'column', source: undefined, name: nameOf(index) };
    if (expression.kind === 'binary')
      return { ...expression, left: rewrite(expression.left), right: rewrite(expression.right) };
    if (expression.kind !== 'call') return expression;
    return { ...expression, args: expression.args.map((one) => ({ ...one, value: rewrite(one.value) })) };
  };
  return { relation: { columns, rows }, rewrite };
};
