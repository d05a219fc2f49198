import { expect, test } from 'vitest';
import { isRetryable } from './guard.ts';

const failed = (code: string): Error => Object.assign(new Error('failed'), { code });

test.each([
  ['22001', 'a text that is too long'],
  ['22003', 'a number out of range'],
  ['22021', 'a NUL in a text'],
  ['23514', 'a check that fails'],
  ['54000', 'an index row that is too large'],
  ['21000', 'a row that is changed twice'],
  ['42601', 'a wrong statement'],
  ['ERR_INVALID_ARG_TYPE', 'a bug in our code'],
])('[X1] %s (%s) comes again: it is not retryable', (code) => {
  expect(isRetryable(failed(code))).toBe(false);
});
test.each([
  ['40001', 'a lost race'],
  ['53100', 'a full disk'],
  ['53300', 'too many clients'],
  ['57P03', 'a server that starts'],
  ['25006', 'a server that only reads'],
  ['42501', 'missing rights'],
  ['42P01', 'a missing table'],
  ['ECONNREFUSED', 'no server'],
])('[X1] %s (%s) may pass: it is retryable', (code) => {
  expect(isRetryable(failed(code))).toBe(true);
});
