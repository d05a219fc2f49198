import type { BinaryOperator, Expression } from '../syntax/ast.ts';
import { pointOf, type Key, type KeyRange } from '../storage/key-range.ts';
import type { Table } from '../storage/table.ts';
import { compareValues, type Value } from '../values/values.ts';
import { compileExpression } from './compile-expression.ts';
import type { Scope } from './scope.ts';

const conjuncts = (expression: Expression): readonly Expression[] =>
  expression.kind === 'binary' && expression.operator === 'AND'
    ? [...conjuncts(expression.left), ...conjuncts(expression.right)]
    : [expression];
const MIRRORED: Partial<Record<BinaryOperator, BinaryOperator>> = {
  '=': '=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
const distinctValues = (values: readonly Value[]): readonly Value[] => {
  const sorted = [...values].sort(compareValues);
  return sorted.filter((value, i) => i === 0 || compareValues(sorted[i - 1]!, value) !== 0);
};
type Bound = { readonly operator: BinaryOperator; readonly column: Expression; readonly value: Expression };

/** `column op value`, whichever side the column is on; of tuples their first members, with the bound itself included. */
const boundsIn = (expression: Expression): readonly Bound[] => {
  if (expression.kind !== 'binary') return [];
  const { left, right, operator } = expression;
  const mirrored = MIRRORED[operator];
  if (!mirrored) return [];
  if (left.kind === 'tuple' && right.kind === 'tuple') {
    const column = left.items[0]!;
    const value = right.items[0]!;
    const loose = operator === '=' ? '=' : operator.startsWith('<') ? '<=' : '>=';
    return [{ operator: loose, column, value }];
  }
  return [
    { operator, column: left, value: right },
    { operator: mirrored, column: right, value: left },
  ];
};

/**
 * The narrowest ranges of keys that the condition can be true in, as far as equalities, IN and one inequality on the key's
 * columns tell; anything else widens them. What is read is what a later write conflicts with.
 */
export const keyRangesOf = (
  table: Table,
  alias: string,
  where: Expression | undefined,
  scope: Scope,
): readonly KeyRange[] => {
  const parts = where ? conjuncts(where) : [];
  const known = parts.flatMap(boundsIn);
  const constant = (expression: Expression): Value | undefined => {
    const compiled = compileExpression(expression, scope);
    return compiled.constant ? compiled.of([]) : undefined;
  };
  const isColumn = (expression: Expression, name: string): boolean =>
    expression.kind === 'column' && expression.name === name && (expression.source ?? alias) === alias;
  const equals = (name: string): readonly Value[] | undefined => {
    for (const { operator, column, value } of known) {
      const found = operator === '=' && isColumn(column, name) ? constant(value) : undefined;
      if (found !== undefined) return [found];
    }
    for (const part of parts) {
      const found =
        part.kind === 'in' && !part.negated && isColumn(part.operand, name) ? constant(part.list) : undefined;
      if (Array.isArray(found)) return found as readonly Value[];
    }
    return undefined;
  };
  const edge = (name: string, operators: readonly BinaryOperator[]): Key => {
    for (const { operator, column, value } of known) {
      const found = operators.includes(operator) && isColumn(column, name) ? constant(value) : undefined;
      if (found !== undefined) return [found];
    }
    return [];
  };
  let prefixes: Key[] = [[]];
  for (const name of table.schema.primaryKey) {
    const values = equals(name);
    if (!values) {
      const low = edge(name, ['>', '>=']);
      const high = edge(name, ['<', '<=']);
      return prefixes.map((prefix) => ({ low: [...prefix, ...low], high: [...prefix, ...high] }));
    }
    const distinct = distinctValues(values);
    prefixes = prefixes.flatMap((prefix) => distinct.map((value) => [...prefix, value]));
  }
  return prefixes.map(pointOf);
};
