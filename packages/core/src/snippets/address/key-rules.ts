import { err, ok, type Result } from 'neverthrow';
import {
  invalidInput,
  isWellFormed,
  utf8Bytes,
  type InvalidInput,
  type Violation,
} from '../../kernel/index.ts';

/** What is wrong with a key. Every other character is allowed, slashes and blanks too. */
export const keyViolation = (key: string, bytesMax: number, path = 'key'): Violation | undefined => {
  if (key === '') return { path, code: 'Missing', message: 'a key is needed' };
  if (key.length > bytesMax || utf8Bytes(key) > bytesMax)
    return { path, code: 'TooLong', message: `a key has at most ${bytesMax} bytes` };
  if (key.includes('\0')) return { path, code: 'ControlCharacter', message: 'a key has no U+0000' };
  if (!isWellFormed(key)) return { path, code: 'InvalidText', message: 'half of a surrogate pair' };
  return undefined;
};
export const checkedKey = (key: string, bytesMax: number, path?: string): Result<string, InvalidInput> => {
  const violation = keyViolation(key, bytesMax, path);
  return violation ? err(invalidInput(violation)) : ok(key);
};
