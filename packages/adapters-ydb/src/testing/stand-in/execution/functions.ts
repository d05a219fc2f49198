import type { Expression } from '../syntax/ast.ts';
import { bare, isOptional, primitive, sameType, type YqlType } from '../values/types.ts';
import type { Value } from '../values/values.ts';
import { YqlError } from '../yql-error.ts';
import type { Scope } from './scope.ts';

/** The part of a compiled expression that functions see; see `Compiled`. */
type Part = {
  readonly type: YqlType;
  readonly constant: boolean;
  readonly of: (row: readonly Value[]) => Value;
};
type Call = Extract<Expression, { kind: 'call' }>;

/** Of a value that is always there it is that value. */
const coalesce = (args: readonly Part[]): Part => {
  const [first, second] = args;
  if (args.length !== 2 || !first || !second || !sameType(bare(first.type), bare(second.type)))
    throw YqlError.unsupported('COALESCE of anything but two values of one type');
  const of = (row: readonly Value[]): Value => first.of(row) ?? second.of(row);
  const type = isOptional(first.type) ? second.type : first.type;
  return { type, constant: first.constant && second.constant, of };
};
const unwrap = (args: readonly Part[]): Part => {
  const [only] = args;
  if (args.length !== 1 || only?.type.kind !== 'optional')
    throw YqlError.type('Unwrap needs one optional value');
  const of = (row: readonly Value[]): Value => {
    const value = only.of(row);
    if (value === null) throw new YqlError('PRECONDITION_FAILED', 'Failed to unwrap empty optional');
    return value;
  };
  return { type: only.type.item, constant: only.constant, of };
};
const asList = (args: readonly Part[]): Part => {
  const [first] = args;
  if (!first || args.some(({ type }) => !sameType(type, first.type)))
    throw YqlError.unsupported('AsList of mixed types');
  return {
    type: { kind: 'list', item: first.type },
    constant: args.every(({ constant }) => constant),
    of: (row) => args.map((one) => one.of(row)),
  };
};
const asStruct = (call: Call, args: readonly Part[]): Part => ({
  type: {
    kind: 'struct',
    members: args.map(({ type }, i) => {
      const { name } = call.args[i]!;
      if (name === undefined) throw YqlError.type('AsStruct needs names');
      return [name, type];
    }),
  },
  constant: args.every(({ constant }) => constant),
  of: (row) => args.map((one) => one.of(row)),
});

/** Scalar functions. Names are as YQL has them, whatever their case; one that is not here is refused. */
export const callFunction = (call: Call, compile: (argument: Expression) => Part, scope: Scope): Part => {
  const name = call.name.toUpperCase();
  if (
    call.star ||
    call.distinct ||
    (name !== 'ASSTRUCT' && call.args.some((argument) => argument.name !== undefined))
  )
    throw YqlError.unsupported(`function ${call.name} here`);
  const args = call.args.map(({ value }) => compile(value));
  switch (name) {
    case 'CURRENTUTCTIMESTAMP':
      if (args.length > 0) throw YqlError.unsupported('CurrentUtcTimestamp with arguments');
      return { type: primitive('Timestamp'), constant: true, of: () => scope.nowUs };
    case 'COALESCE':
      return coalesce(args);
    case 'UNWRAP':
      return unwrap(args);
    case 'ASLIST':
      return asList(args);
    case 'ASSTRUCT':
      return asStruct(call, args);
    default:
      throw YqlError.unsupported(`function ${call.name}`);
  }
};
