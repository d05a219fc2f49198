import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { gostFunctions } from '../gost/sql-functions.ts';
import { vasgenFunctions } from '../vasgen/sql-functions.ts';
import { readFunctions } from './function-file.ts';
import { readMigrations } from './migration-file.ts';

const folder = (name: string): string => fileURLToPath(new URL(`../../${name}/`, import.meta.url));

const specs = [...gostFunctions, ...vasgenFunctions];

test('[G12] every function file agrees with the spec that makes its call', async () => {
  const functions = (await readFunctions(folder('functions'), specs))._unsafeUnwrap();
  const names = functions.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(specs.map(({ name }) => name)));
  for (const { sql } of functions) expect(sql).not.toContain('{{');
});
test('[B13] migrations make tables and indexes; functions are files of their own', async () => {
  const migrations = (await readMigrations(folder('migrations')))._unsafeUnwrap();
  expect(migrations.length).toBeGreaterThan(0);
  for (const { sql, name } of migrations) expect(sql, name).not.toMatch(/\b(create|drop)\b.*\bfunction\b/i);
});
