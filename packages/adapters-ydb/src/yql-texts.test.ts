import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { migrationTables } from './schema/migrate.ts';
import { migrations } from './schema/migration.ts';
import { parseYql } from './testing/stand-in/syntax/parse.ts';
import { allQueries, yqlTexts } from './yql-texts.ts';

const source = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const shipped = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('testing/'),
);

test('[G12] every query that the sources define is in the list, under a unique name', () => {
  const defined = shipped.flatMap((path) =>
    [...source(path).matchAll(/= query\(\{\s*name: '([^']+)'/g)].map(([, name]) => name!),
  );
  expect(defined.length).toBeGreaterThan(30);
  expect(allQueries.map(({ name }) => name).sort()).toEqual(defined.sort());
});
test('[G12] no source file sends a text that is not a query of the list', () => {
  const senders = shipped.filter((path) => /executeQuery|queryClient|executeSchemeQuery/.test(source(path)));
  expect(senders).toEqual(['driver/transaction.ts']);
});
test.each(yqlTexts())('[G12] $name is read by the parser, and short enough for the server', ({ text }) => {
  expect(parseYql(text).length).toBeGreaterThan(0);
  expect(Buffer.byteLength(text)).toBeLessThan(10_000);
});
test('[G12] every table of the migrations has its text', () => {
  const made = migrations.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'createTable' ? [step.table.name] : [])),
  );
  const texts = yqlTexts().filter(({ name }) => name.startsWith('table-'));
  expect(texts.map(({ name }) => name.slice('table-'.length)).sort()).toEqual(
    [...made, ...migrationTables.map(({ name }) => name)].sort(),
  );
});
test('[G12] no primary key starts with a column that grows with time', () => {
  const specs = migrations.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'createTable' ? [step.table] : [])),
  );
  const growing = specs.filter(({ primaryKey }) =>
    /(_at|_us|_ms|epoch|idx|version|task|token)$/.test(primaryKey[0]!),
  );
  expect(growing).toEqual([]);
});
