import { expect, test } from 'vitest';
import { tableReads, type Keys, type TableRead } from './testing/read-bounds.ts';
import { parseYql } from './testing/stand-in/syntax/parse.ts';
import { yqlTexts } from './yql-texts.ts';

/** The texts of the dump. */
const texts = yqlTexts('/d').map(({ name, text }) => ({ name, statements: parseYql(text) }));
const keys: Keys = new Map(
  texts.flatMap(({ statements }) =>
    statements.flatMap((one) =>
      one.kind === 'createTable' ? [[one.table.replace('/d/', ''), one.primaryKey] as const] : [],
    ),
  ),
);
const queries = texts.filter(({ name }) => !name.startsWith('table-'));
const missing = (reads: readonly TableRead[]): readonly string[] =>
  reads.flatMap(({ table, bound }) => (typeof bound === 'string' ? [] : [`${table}: ${bound.missing}`]));

test.each(queries)(
  '[G12] $name reads a bounded number of rows: by whole keys, or in the order of the key up to a limit',
  ({ statements }) => {
    expect(missing(statements.flatMap((one) => tableReads(one, keys)))).toEqual([]);
  },
);

const known: Keys = new Map([['t', ['a', 'b', 'c']]]);
const boundsIn = (text: string): readonly string[] =>
  parseYql(text)
    .flatMap((one) => tableReads(one, known))
    .map(({ bound }) => (typeof bound === 'string' ? bound : `missing: ${bound.missing}`));
const KEY_ORDER = 'ORDER BY a, b, c LIMIT 10';
test.each([
  ['SELECT c FROM t WHERE a = $a AND b = $b AND c IN $c', ['wholeKey']],
  [`SELECT c FROM t WHERE a = $a AND b > $b ${KEY_ORDER}`, ['range']],
  [`SELECT c FROM t WHERE a > $a ${KEY_ORDER}`, ['range']],
  ['SELECT c FROM t WHERE a = $a ORDER BY a DESC, b DESC LIMIT 1', ['range']],
  [`SELECT c FROM t ${KEY_ORDER}`, ['first']],
  ['SELECT c FROM t', ['missing: a LIMIT']],
  ['SELECT c FROM t WHERE a = $a', ['missing: a LIMIT']],
  ['SELECT COUNT(*) AS n FROM t WHERE a = $a', ['missing: a LIMIT']],
  ['SELECT c FROM t WHERE a = $a LIMIT 10', ['missing: ORDER BY the columns of the key']],
  ['SELECT c FROM t WHERE a = $a ORDER BY b LIMIT 10', ['missing: ORDER BY the columns of the key']],
  ['SELECT c FROM t WHERE a = $a ORDER BY a, c LIMIT 10', ['missing: ORDER BY the columns of the key']],
  ['SELECT c FROM t WHERE a = $a ORDER BY a, b DESC LIMIT 10', ['missing: ORDER BY the columns of the key']],
  [`SELECT c FROM t WHERE b = $b ${KEY_ORDER}`, ['missing: a condition on the first column of the key']],
  [
    `SELECT c FROM t WHERE a = $a OR b = $b ${KEY_ORDER}`,
    ['missing: a condition on the first column of the key'],
  ],
  [`SELECT COUNT(*) AS n FROM (SELECT a FROM t WHERE a > $a ${KEY_ORDER}) AS s`, ['range']],
  ['SELECT COUNT(*) AS n FROM (SELECT a FROM t WHERE a > $a) AS s', ['missing: a LIMIT']],
  [`$k = (SELECT a FROM t WHERE a = $a); SELECT a FROM $k AS k`, ['missing: a LIMIT']],
  [
    'SELECT t.c AS c FROM AS_TABLE($k) AS k INNER JOIN t AS t ON t.a = k.a AND t.b = k.b AND t.c = k.c',
    ['wholeKey'],
  ],
  [
    'SELECT t.c AS c FROM AS_TABLE($k) AS k INNER JOIN t AS t ON t.a = k.a AND t.b = k.b',
    ['missing: a join by the whole key'],
  ],
  ['UPSERT INTO u SELECT c FROM t WHERE a = $a', ['missing: a LIMIT']],
  ['DELETE FROM t WHERE a = $a', ['missing: a LIMIT']],
  ['UPDATE t SET d = 1 WHERE a = $a AND b = $b AND c = $c', ['wholeKey']],
  ['SELECT c FROM unknown WHERE a = $a', ['missing: a table of the migrations']],
] as const)('[G12] what bounds a read: %s', (text, expected) => {
  expect(boundsIn(text)).toEqual(expected);
});
