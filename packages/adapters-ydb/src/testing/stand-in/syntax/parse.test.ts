import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { YqlError } from '../yql-error.ts';
import { parseYql } from './parse.ts';

const folder = fileURLToPath(new URL('../../../../testdata/yql-cases/', import.meta.url));
const cases = (kind: 'good' | 'bad'): { name: string; text: string }[] =>
  readdirSync(`${folder}${kind}`).map((name) => ({
    name,
    text: readFileSync(`${folder}${kind}/${name}`, 'utf8'),
  }));

test.each(cases('good'))('[G12] good/$name is read', ({ text }) => {
  expect(parseYql(text).length).toBeGreaterThan(0);
});
test.each(cases('bad'))('[G12] bad/$name is refused: $text', ({ text }) => {
  expect(() => parseYql(text)).toThrow(YqlError);
});

/** Each of these stands in a good text with one thing taken away or put in. */
test.each([
  'SELECT a FROM t AS x VIEW i',
  'SELECT a b FROM t',
  'SELECT a FROM t x',
  'SELECT a, FROM t',
  'SELECT a FROM t WHERE a = = 1',
  'SELECT a FROM t ORDER BY a LIMIT 1 WHERE a = 1',
  'SELECT a FROM t CROSS JOIN u',
  'SELECT a FROM t LEFT JOIN u USING (a)',
  'SELECT a FROM t WHERE EXISTS (SELECT 1)',
  'SELECT a FROM t UNION ALL SELECT a FROM u',
  'SELECT a FROM t WHERE a IN (SELECT 1)',
  'SELECT ROW_NUMBER() OVER w FROM t',
  'UPSERT INTO t (a) VALUES (1) RETURNING',
  'UPSERT INTO t (a) VALUES 1',
  'INSERT INTO t SELECT a FROM AS_TABLE($r) ON DUPLICATE KEY',
  'DECLARE $x AS Text4',
  'DECLARE $x AS List<Utf8',
  'DECLARE $x AS Struct<a Utf8>',
  'CREATE TABLE t (a Utf8)',
  'CREATE TABLE t (a Utf8 PRIMARY KEY)',
  'DROP INDEX i',
  'BEGIN; SELECT 1; COMMIT;',
  "SELECT 'open",
  'SELECT "\\q"',
  'SELECT a FROM t; garbage',
  'SELECT 1 SELECT 2',
  'SELECT a FROM t WHERE a = @x',
])('[G12] what is not known here is refused: %s', (text) => {
  expect(() => parseYql(text)).toThrow(YqlError);
});

test('[G12] comments and spaces say nothing, strings keep what they hold', () => {
  const [first] = parseYql('-- SELECT\nSELECT /* ; */ "a;--b\\n" AS x; ;');
  expect(first).toMatchObject({
    kind: 'select',
    select: { items: [{ alias: 'x', value: { text: 'a;--b\n' } }] },
  });
});
test('[G12] AND binds closer than OR, NOT closer than AND, products closer than sums', () => {
  const [read] = parseYql('SELECT a FROM t WHERE NOT a AND b OR c = 1 + 2 * 3');
  expect(read).toMatchObject({
    select: {
      where: {
        operator: 'OR',
        left: { operator: 'AND', left: { kind: 'not' } },
        right: { operator: '=', right: { operator: '+', right: { operator: '*' } } },
      },
    },
  });
});
