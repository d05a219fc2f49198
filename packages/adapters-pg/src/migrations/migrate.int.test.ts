import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { createPool } from '../driver/pool.ts';
import { migrate, pendingMigrations } from './migrate.ts';

let fresh: FreshDatabase;
let db: Pick<FreshDatabase, 'url' | 'pool'>;
let dir: string;
const write = (name: string, sql: string) => writeFileSync(join(dir, 'migrations', name), sql);
const remove = (name: string) => rmSync(join(dir, 'migrations', name));
const functionFile = (name: string) => join(dir, 'functions', `${name}.sql`);
const writeFunction = (name: string, sql: string) => writeFileSync(functionFile(name), sql);
const answer = async (): Promise<unknown> =>
  (await db.pool.query<{ answer: unknown }>('select answer() as answer')).rows[0]!.answer;
const tables = async (): Promise<string[]> => {
  const { rows } = await db.pool.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'alien'::regnamespace order by 1`,
  );
  return rows.map(({ name }) => name);
};

/** The copied database has the product's migrations already; those of the tests get a schema of their own. */
beforeEach(async () => {
  fresh = await freshDatabase();
  await fresh.pool.query('create schema alien');
  const url = `${fresh.url}?options=-c%20search_path%3Dalien`;
  db = { url, pool: createPool({ url, max: 10, applicationName: 'migrations-test' }) };
  dir = mkdtempSync(join(tmpdir(), 'doska-migrations-'));
  for (const folder of ['migrations', 'functions']) mkdirSync(join(dir, folder));
});
afterEach(async () => {
  await db.pool.end();
  await fresh.drop();
  rmSync(dir, { recursive: true });
});

test('[B13] applies the files in their order, once', async () => {
  write('0002_second.sql', 'alter table first add column b int; create table second (a int);');
  write('0001_first.sql', 'create table first (a int);');
  expect((await pendingMigrations(db.pool, { dir }))._unsafeUnwrap()).toEqual(['0001_first', '0002_second']);
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap()).toEqual({
    applied: ['0001_first', '0002_second'],
  });
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap()).toEqual({ applied: [] });
  expect((await pendingMigrations(db.pool, { dir }))._unsafeUnwrap()).toEqual([]);
  expect(await tables()).toEqual(['first', 'schema_function', 'schema_migration', 'second']);
});

test('[B13] pendingMigrations changes nothing', async () => {
  write('0001_first.sql', 'create table first (a int);');
  await pendingMigrations(db.pool, { dir });
  expect(await tables()).toEqual([]);
});

test('[B13] a folder that does not exist holds no migrations', async () => {
  expect((await migrate(db.pool, { dir: join(dir, 'absent') }))._unsafeUnwrap()).toEqual({ applied: [] });
});

test('[B13] four processes that start at once apply every migration exactly once', async () => {
  for (let n = 1; n <= 9; n++)
    write(`000${n}_t${n}.sql`, `create table t${n} (a int); select pg_sleep(0.01);`);
  const pools = [1, 2, 3, 4].map(() => createPool({ url: db.url, max: 2, applicationName: 'starter' }));
  const results = await Promise.all(pools.map((pool) => migrate(pool, { dir })));
  await Promise.all(pools.map((pool) => pool.end()));
  const applied = results.flatMap((result) => result._unsafeUnwrap().applied);
  expect(applied.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `000${n}_t${n}`));
});

test('[B13] a failing migration is rolled back and its error names the file', async () => {
  write('0001_good.sql', 'create table good (a int);');
  write('0002_bad.sql', 'create table half (a int); insert into half values (1); select 1/0;');
  write('0003_never.sql', 'create table never (a int);');
  const failed = (await migrate(db.pool, { dir }))._unsafeUnwrapErr();
  expect(failed).toMatchObject({ kind: 'FailedMigration', file: '0002_bad.sql' });
  expect(failed).toHaveProperty('message', expect.stringContaining('division by zero'));
  expect(await tables()).toEqual(['good', 'schema_function', 'schema_migration']);
  write('0002_bad.sql', 'create table half (a int);');
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap()).toEqual({ applied: ['0002_bad', '0003_never'] });
});

test('[B13] a migration is rolled back if recording it fails', async () => {
  write('0001_first.sql', 'create table first (a int);');
  await migrate(db.pool, { dir });
  write('0002_half.sql', 'create table half (a int); alter table schema_migration add check (id <> 2);');
  expect((await migrate(db.pool, { dir })).isErr()).toBe(true);
  expect(await tables()).toEqual(['first', 'schema_function', 'schema_migration']);
});

test('[B13] a file that was changed after it was applied is refused by name, and no later one is applied', async () => {
  write('0001_first.sql', 'create table first (a int);');
  await migrate(db.pool, { dir });
  write('0001_first.sql', 'create table first (a int, b int);');
  write('0002_second.sql', 'create table second (a int);');
  const refused = (await migrate(db.pool, { dir }))._unsafeUnwrapErr();
  expect(refused).toMatchObject({ kind: 'ChangedMigration', file: '0001_first.sql' });
  expect((await pendingMigrations(db.pool, { dir }))._unsafeUnwrapErr()).toMatchObject({
    kind: 'ChangedMigration',
  });
  expect(await tables()).toEqual(['first', 'schema_function', 'schema_migration']);
});

test('[B13] different line ends are not a change', async () => {
  write('0001_first.sql', 'create table first (\n a int);\n');
  await migrate(db.pool, { dir });
  write('0001_first.sql', 'create table first (\r\n a int);\r\n');
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap()).toEqual({ applied: [] });
});

test('[B13] a database that a newer version migrated is refused', async () => {
  write('0001_first.sql', 'create table first (a int);');
  write('0002_newer.sql', 'create table newer (a int);');
  await migrate(db.pool, { dir });
  remove('0002_newer.sql');
  const refused = (await migrate(db.pool, { dir }))._unsafeUnwrapErr();
  expect(refused).toMatchObject({ kind: 'UnknownMigration', file: '0002_newer.sql' });
});

test('[B13] a new file below an applied one is refused, because the order is part of the schema', async () => {
  write('0002_second.sql', 'create table second (a int);');
  await migrate(db.pool, { dir });
  write('0001_late.sql', 'create table late (a int);');
  expect((await migrate(db.pool, { dir }))._unsafeUnwrapErr()).toMatchObject({
    kind: 'LateMigration',
    file: '0001_late.sql',
  });
});

test.each([
  { name: 'a name without a number', file: 'first.sql', sql: 'select 1' },
  {
    name: 'a transaction of its own',
    file: '0001_own.sql',
    sql: 'create table own (a int);\nCOMMIT;\nselect 1/0;',
  },
])('[B13] refuses $name before anything runs', async ({ file, sql }) => {
  write(file, sql);
  expect((await migrate(db.pool, { dir }))._unsafeUnwrapErr()).toMatchObject({
    kind: 'BadMigrationFile',
    file,
  });
  expect(await tables()).toEqual([]);
});

test('[B13] a function is created after the migrations, and again when its text changes', async () => {
  write('0001_first.sql', 'create table first (a int); insert into first values (1);');
  writeFunction('answer', 'create function answer() returns int language sql as $$ select a from first $$;');
  expect((await pendingMigrations(db.pool, { dir }))._unsafeUnwrap()).toEqual([
    '0001_first',
    'function answer',
  ]);
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap().applied).toEqual([
    '0001_first',
    'function answer',
  ]);
  expect(await answer()).toBe(1);
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap().applied).toEqual([]);
  const other = `create function answer(lang text default 'en') returns text language sql as $$ select lang $$;`;
  writeFunction('answer', other);
  expect((await pendingMigrations(db.pool, { dir }))._unsafeUnwrap()).toEqual(['function answer']);
  expect(await answer()).toBe(1);
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap().applied).toEqual(['function answer']);
  expect(await answer()).toBe('en'); // had the old function stayed, the call would be ambiguous
  writeFunction('answer', other.replaceAll(' ', '\r\n'));
  await migrate(db.pool, { dir });
  writeFunction('answer', other.replaceAll(' ', '\n'));
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap().applied).toEqual([]);
});

test('[B13] a function whose file is gone is dropped, and one that was dropped by hand is created again', async () => {
  writeFunction('answer', 'create function answer() returns int language sql as $$ select 1 $$;');
  await migrate(db.pool, { dir });
  await db.pool.query('drop function answer');
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap().applied).toEqual(['function answer']);
  expect(await answer()).toBe(1);
  rmSync(functionFile('answer'));
  expect((await pendingMigrations(db.pool, { dir }))._unsafeUnwrap()).toEqual(['drop function answer']);
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap().applied).toEqual(['drop function answer']);
  await expect(answer()).rejects.toThrow('does not exist');
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap().applied).toEqual([]);
});

test('[B13] functions change in one transaction with the last migration: if a function fails, neither is there', async () => {
  write('0001_first.sql', 'create table first (a int);');
  writeFunction('answer', 'create function answer() returns int language sql as $$ select 1 $$;');
  await migrate(db.pool, { dir });
  write('0002_second.sql', 'create table second (a int);');
  writeFunction('answer', 'create function answer() returns int language sql as $$ select 2 $$;');
  writeFunction('broken', 'create function broken() returns int language sql as $$ select b from first $$;');
  const failed = (await migrate(db.pool, { dir }))._unsafeUnwrapErr();
  expect(failed).toMatchObject({ kind: 'FailedMigration', file: 'functions/broken.sql' });
  expect(await tables()).toEqual(['first', 'schema_function', 'schema_migration']);
  expect(await answer()).toBe(1);
});

test.each([
  {
    name: 'that makes another function',
    sql: 'create function other() returns int language sql as $$ select 1 $$;',
  },
  { name: 'with placeholders and no spec', sql: 'create function answer({{parameters}}) returns int ...' },
  { name: 'with a transaction of its own', sql: 'create function answer() ...;\ncommit;' },
])('[B13] refuses a function file $name before anything runs', async ({ sql }) => {
  write('0001_first.sql', 'create table first (a int);');
  writeFunction('answer', sql);
  const refused = (await migrate(db.pool, { dir }))._unsafeUnwrapErr();
  expect(refused).toMatchObject({ kind: 'BadMigrationFile', file: 'functions/answer.sql' });
  expect(await tables()).toEqual([]);
});

test('[B13] a database that does not answer is Unavailable and retryable', async () => {
  const nowhere = createPool({ url: 'postgresql://x:x@127.0.0.1:1/x', max: 1, applicationName: 'nowhere' });
  write('0001_first.sql', 'create table first (a int);');
  const failed = (await migrate(nowhere, { dir }))._unsafeUnwrapErr();
  await nowhere.end();
  expect(failed).toMatchObject({ kind: 'Unavailable', retryable: true });
});
