import { expect, test } from 'vitest';
import { numberArgument } from './number-argument.ts';

test.each(['x', '-1', '1.5', '', '1e3', '4294967296', '99999999999999999999'])(
  '[X5] the command line refuses %j as a number and names the argument',
  (text) => {
    const refused = numberArgument('--limit', text)._unsafeUnwrapErr();
    expect(refused.exitCode).toBe(64);
    expect(refused.message).toMatch(/^--limit .*: a whole number from 0 to 4294967295$/);
  },
);
test('[X5] a number of the command line is read, and may be missing', () => {
  expect(numberArgument('--limit', '10')._unsafeUnwrap()).toBe(10);
  expect(numberArgument('--limit', undefined)._unsafeUnwrap()).toBe(undefined);
  expect(numberArgument('--at', '2147483647', { max: 2 ** 31 - 1 })._unsafeUnwrap()).toBe(2 ** 31 - 1);
});
