import type { BinaryOperator, Expression } from '../syntax/ast.ts';
import {
  bare,
  isOptional,
  optional,
  primitive,
  sameType,
  typeFromSyntax,
  typeText,
  type YqlType,
} from '../values/types.ts';
import { compareValues, fitsIn, isInteger, type Value } from '../values/values.ts';
import { YqlError } from '../yql-error.ts';
import { callFunction } from './functions.ts';
import { findColumn, type Scope } from './scope.ts';

/** An expression with its type, ready to be asked for any row. `constant`: it names no column. */
export type Compiled = {
  readonly type: YqlType;
  readonly constant: boolean;
  /** Only of a bare integer in the text: it becomes whatever integer type it meets, as in YQL. */
  readonly literal?: bigint;
  readonly of: (row: readonly Value[]) => Value;
};
const BOOL = primitive('Bool');
const constantOf = (type: YqlType, value: Value): Compiled => ({ type, constant: true, of: () => value });

const INTEGER_SUFFIXES = { '': 'Int32', u: 'Uint32', l: 'Int64', ul: 'Uint64' } as const;
const literalOf = ({ type, text, suffix }: Extract<Expression, { kind: 'literal' }>): Compiled => {
  if (type === 'string') {
    if (suffix === 'u') return constantOf(primitive('Utf8'), text);
    if (suffix === '' || suffix === 's') return constantOf(primitive('String'), Buffer.from(text));
    throw YqlError.unsupported(`literal "…"${suffix}`);
  }
  if (type === 'float') return constantOf(primitive('Double'), Number(text));
  const value = BigInt(text);
  const name =
    suffix in INTEGER_SUFFIXES ? INTEGER_SUFFIXES[suffix as keyof typeof INTEGER_SUFFIXES] : undefined;
  if (!name) throw YqlError.unsupported(`literal 1${suffix}`);
  const fitting = suffix !== '' || fitsIn(value, 'Int32') ? name : 'Int64';
  if (!fitsIn(value, fitting)) throw YqlError.type(`${text}${suffix} does not fit ${fitting}`);
  return { ...constantOf(primitive(fitting), value), ...(suffix === '' ? { literal: value } : {}) };
};

/** `given` as a value of `wanted`, when YQL does that by itself; undefined when it does not. */
export const adapted = (given: Compiled, wanted: YqlType): Compiled | undefined => {
  if (sameType(given.type, wanted)) return given;
  if (given.type.kind === 'null') return isOptional(wanted) ? { ...given, type: wanted } : undefined;
  const target = bare(wanted);
  const fits = given.literal !== undefined && isInteger(target) && fitsIn(given.literal, target.name);
  if (fits) return constantOf(wanted, given.literal);
  return isOptional(wanted) && !isOptional(given.type) && sameType(given.type, target)
    ? { ...given, type: wanted }
    : undefined;
};

/** Both sides as one type: the same, or an integer of the text beside an integer, each perhaps optional. */
const commonType = (left: Compiled, right: Compiled, what: string): YqlType => {
  const a = bare(left.type);
  const b = bare(right.type);
  if (a.kind === 'null' || b.kind === 'null') throw YqlError.unsupported(`NULL in ${what}`);
  if (sameType(a, b)) return a;
  if (left.literal !== undefined && isInteger(b) && fitsIn(left.literal, b.name)) return b;
  if (right.literal !== undefined && isInteger(a) && fitsIn(right.literal, a.name)) return a;
  throw YqlError.type(`can't ${what} ${typeText(left.type)} and ${typeText(right.type)}`);
};
const either = (left: Compiled, right: Compiled, type: YqlType): YqlType =>
  isOptional(left.type) || isOptional(right.type) ? optional(type) : type;
const lifted = (
  left: Compiled,
  right: Compiled,
  type: YqlType,
  of: (a: Value, b: Value) => Value,
): Compiled => ({
  type: either(left, right, type),
  constant: left.constant && right.constant,
  of: (row) => {
    const a = left.of(row);
    const b = right.of(row);
    return a === null || b === null ? null : of(a, b);
  },
});

const COMPARE: Partial<Record<BinaryOperator, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};
const comparison = (operator: BinaryOperator, left: Compiled, right: Compiled): Compiled | undefined => {
  const judge = COMPARE[operator];
  if (!judge) return undefined;
  commonType(left, right, 'compare');
  return lifted(left, right, BOOL, (a, b) => judge(compareValues(a, b)));
};
/** A tuple's comparison is that of its members, the first that differ decide; none of them may be null here. */
const tupleComparison = (
  operator: BinaryOperator,
  left: readonly Compiled[],
  right: readonly Compiled[],
): Compiled => {
  const judge = COMPARE[operator];
  if (!judge || left.length !== right.length) throw YqlError.type('tuples of different lengths');
  left.forEach((one, i) => {
    if (isOptional(one.type) || isOptional(right[i]!.type))
      throw YqlError.unsupported('a tuple of optional values');
    commonType(one, right[i]!, 'compare');
  });
  return {
    type: BOOL,
    constant: [...left, ...right].every(({ constant }) => constant),
    of: (row) =>
      judge(
        compareValues(
          left.map((one) => one.of(row)),
          right.map((one) => one.of(row)),
        ),
      ),
  };
};

/** Three-valued: what is unknown stays unknown unless the other side settles it. */
const logic = (operator: 'AND' | 'OR', left: Compiled, right: Compiled): Compiled => {
  for (const { type } of [left, right])
    if (!sameType(bare(type), BOOL)) throw YqlError.type(`${operator} of ${typeText(type)}`);
  const settles = operator === 'OR';
  return {
    type: either(left, right, BOOL),
    constant: left.constant && right.constant,
    of: (row) => {
      const a = left.of(row);
      if (a === settles) return settles;
      const b = right.of(row);
      return b === settles ? settles : a === null || b === null ? null : !settles;
    },
  };
};
const ARITHMETIC: Partial<Record<BinaryOperator, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
};
const arithmetic = (operator: BinaryOperator, left: Compiled, right: Compiled): Compiled => {
  const compute = ARITHMETIC[operator];
  const type = commonType(left, right, `compute ${operator} of`);
  if (!compute || !isInteger(type)) throw YqlError.unsupported(`${operator} of ${typeText(type)}`);
  return lifted(left, right, type, (a, b) => {
    const result = compute(a as bigint, b as bigint);
    if (!fitsIn(result, type.name)) throw YqlError.unsupported(`overflow of ${type.name}`);
    return result;
  });
};

const binary = (
  { operator, left, right }: Extract<Expression, { kind: 'binary' }>,
  scope: Scope,
): Compiled => {
  if (left.kind === 'tuple' && right.kind === 'tuple') {
    const members = (items: readonly Expression[]): Compiled[] =>
      items.map((item) => compileExpression(item, scope));
    return tupleComparison(operator, members(left.items), members(right.items));
  }
  const a = compileExpression(left, scope);
  const b = compileExpression(right, scope);
  if (operator === 'AND' || operator === 'OR') return logic(operator, a, b);
  return comparison(operator, a, b) ?? arithmetic(operator, a, b);
};
const membership = (
  { operand, list, negated }: Extract<Expression, { kind: 'in' }>,
  scope: Scope,
): Compiled => {
  const item = compileExpression(operand, scope);
  const items = compileExpression(list, scope);
  if (items.type.kind !== 'list' || isOptional(items.type.item) || isOptional(item.type) || negated)
    throw YqlError.unsupported('IN with anything but a list of values that are there');
  commonType(item, { ...items, type: items.type.item }, 'look for');
  return {
    type: BOOL,
    constant: item.constant && items.constant,
    of: (row) => {
      const wanted = item.of(row);
      return (items.of(row) as readonly Value[]).some((one) => compareValues(one, wanted) === 0);
    },
  };
};
const choice = (
  { operand, branches, otherwise }: Extract<Expression, { kind: 'case' }>,
  scope: Scope,
): Compiled => {
  if (operand) throw YqlError.unsupported('CASE with an operand');
  const [first, ...more] = branches.map(
    ([when, then]) => [compileExpression(when, scope), compileExpression(then, scope)] as const,
  );
  const last = otherwise ? compileExpression(otherwise, scope) : constantOf(optional(first![1].type), null);
  const all = [first!, ...more];
  if (all.some(([when]) => !sameType(bare(when.type), BOOL))) throw YqlError.type('WHEN needs a Bool');
  if ([...all.map(([, then]) => then), last].some(({ type }) => !sameType(type, last.type)))
    throw YqlError.unsupported('CASE with branches of different types');
  return {
    type: last.type,
    constant: last.constant && all.every(([when, then]) => when.constant && then.constant),
    of: (row) => (all.find(([when]) => when.of(row) === true)?.[1] ?? last).of(row),
  };
};

export const compileExpression = (expression: Expression, scope: Scope): Compiled => {
  switch (expression.kind) {
    case 'literal':
      return literalOf(expression);
    case 'boolean':
      return constantOf(BOOL, expression.value);
    case 'null':
      return constantOf({ kind: 'null' }, null);
    case 'parameter': {
      const { type, value } = scope.named(expression.name);
      return constantOf(type, value);
    }
    case 'column': {
      const index = findColumn(scope, expression.source, expression.name);
      return { type: scope.columns[index]!.type, constant: false, of: (row) => row[index]! };
    }
    case 'call':
      return callFunction(expression, (argument) => compileExpression(argument, scope), scope);
    case 'binary':
      return binary(expression, scope);
    case 'not': {
      const operand = compileExpression(expression.operand, scope);
      if (!sameType(bare(operand.type), BOOL)) throw YqlError.type(`NOT of ${typeText(operand.type)}`);
      return { ...operand, of: (row) => (operand.of(row) === null ? null : !operand.of(row)) };
    }
    case 'isNull': {
      const operand = compileExpression(expression.operand, scope);
      return {
        type: BOOL,
        constant: operand.constant,
        of: (row) => (operand.of(row) === null) !== expression.negated,
      };
    }
    case 'in':
      return membership(expression, scope);
    case 'case':
      return choice(expression, scope);
    case 'cast':
      throw YqlError.unsupported(`CAST to ${typeText(typeFromSyntax(expression.type))}`);
    case 'minus':
    case 'like':
    case 'between':
    case 'tuple':
      throw YqlError.unsupported(`${expression.kind} here`);
  }
};
