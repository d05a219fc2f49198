import { err, ok, type Result } from 'neverthrow';
import { invalidInput, type InvalidInput, type Violation } from '../../kernel/index.ts';

export const DIGEST_PARTS_MAX = 65_536;
export const PLACES_MAX = 10_000;
export const WORDS_MAX = 5_000;

const outside = (path: string, value: number, min: number, max: number): readonly Violation[] =>
  Number.isInteger(value) && value >= min && value <= max
    ? []
    : [{ path, code: 'RANGE', message: `a whole number from ${min} to ${max}` }];

const checked = <T>(plan: T, faults: readonly Violation[]): Result<T, InvalidInput> =>
  faults.length > 0 ? err(invalidInput(...faults)) : ok(plan);

export const checkDigest = <T extends { readonly parts: number }>(plan: T): Result<T, InvalidInput> =>
  checked(plan, outside('parts', plan.parts, 1, DIGEST_PARTS_MAX));

export const checkWords = <T extends { readonly limit: number }>(plan: T): Result<T, InvalidInput> =>
  checked(plan, outside('limit', plan.limit, 1, WORDS_MAX));

export const checkPlaces = <
  T extends { readonly part: number; readonly parts: number; readonly limit: number },
>(
  plan: T,
): Result<T, InvalidInput> =>
  checked(plan, [
    ...outside('parts', plan.parts, 1, DIGEST_PARTS_MAX),
    ...outside('part', plan.part, 0, plan.parts - 1),
    ...outside('limit', plan.limit, 1, PLACES_MAX),
  ]);
