import { err, ok, type Result } from 'neverthrow';
import { invalidInput, type InvalidInput, type Violation } from './errors.ts';

/** Numbers up to this are kept exactly. A contract with 64 bits takes no larger ones. */
export const WHOLE_NUMBER_MAX = Number.MAX_SAFE_INTEGER;
export type NumberBounds = { readonly min?: number; readonly max?: number };

/** What is wrong with a whole number of a caller. A `bigint` is what a 64-bit field is read as. */
export const wholeNumberViolations = (
  path: string,
  value: bigint | number,
  { min = 0, max = WHOLE_NUMBER_MAX }: NumberBounds = {},
): readonly Violation[] => {
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  return isWhole && value >= min && value <= max
    ? []
    : [{ path, code: 'OutOfRange', message: `a whole number from ${min} to ${max}` }];
};

/** The number of a 64-bit field, or its violation: it is never rounded. */
export const wholeNumber = (
  path: string,
  value: bigint | number,
  bounds?: NumberBounds,
): Result<number, InvalidInput> => {
  const found = wholeNumberViolations(path, value, bounds);
  return found.length > 0 ? err(invalidInput(...found)) : ok(Number(value));
};
