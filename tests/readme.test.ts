import { expect, test } from 'vitest';
import { missingLines } from './readme.ts';

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['the same', ['a', 'b'], ['a', 'b'], []],
  ['something different every time', ['a … c'], ['a b c'], []],
  ['another line', ['a', 'b'], ['a', 'c'], ['b']],
  ['a line too few', ['a', 'b'], ['a'], ['b']],
  ['a line too many', ['a'], ['a', 'b'], ['no more after line 1']],
  ['any lines between', ['a', '…', 'd'], ['a', 'b', 'c', 'd'], []],
  ['no lines between', ['a', '…', 'b'], ['a', 'b'], []],
  ['any lines at the end', ['a', '…'], ['a', 'b', 'c'], []],
  ['a missing line after a leap', ['a', '…', 'x', 'c'], ['a', 'b', 'c'], ['x', 'c']],
  ['the wrong order', ['b', '…', 'a'], ['a', 'b'], ['b']],
])('[B19] an example of a document and its output: %s', (_, expected, actual, missing) => {
  expect(missingLines(expected, actual)[0]).toBe(missing[0]);
});
