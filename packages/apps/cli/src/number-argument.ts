import { wholeNumber, type NumberBounds } from '@doska/core/kernel';
import { ok, type Result } from 'neverthrow';
import { EXIT, problem, type CommandProblem } from './outcome.ts';

const DIGITS = /^\d{1,20}$/;
const UINT32_MAX = 2 ** 32 - 1;

/** A number of the command line; undefined if it was not given. `name` is how the user knows it. */
export const numberArgument = <T extends string | undefined>(
  name: string,
  text: T,
  bounds: NumberBounds = {},
): Result<T extends string ? number : undefined, CommandProblem> => {
  type Parsed = Result<T extends string ? number : undefined, CommandProblem>;
  if (text === undefined) return ok(undefined) as Parsed;
  return wholeNumber(name, DIGITS.test(text) ? BigInt(text) : NaN, { max: UINT32_MAX, ...bounds }).mapErr(
    ({ violations }) =>
      problem(`${name} ${text.slice(0, 50)}: ${violations[0]?.message ?? 'no number'}`, EXIT.usage),
  ) as Parsed;
};
