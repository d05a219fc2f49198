import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freshDatabase, type FreshDatabase } from '../../../../tests/setup/database.ts';
import { createPool } from '../driver/pool.ts';
import { migrate, pendingMigrations } from './migrate.ts';

let fresh: FreshDatabase;
let db: Pick<FreshDatabase, 'url' | 'pool'>;
let dir: string;
const write = (name: string, sql: string) => writeFileSync(join(dir, name), sql);
const tables = async (): Promise<string[]> => {
  const { rows } = await db.pool.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'alien'::regnamespace order by 1`,
  );
  return rows.map(({ name }) => name);
};

/** The product's own migrations are in the copy already; ours live in a schema of their own beside them. */
beforeEach(async () => {
  fresh = await freshDatabase();
  await fresh.pool.query('create schema alien');
  const url = `${fresh.url}?options=-c%20search_path%3Dalien`;
  db = { url, pool: createPool({ url, max: 10, applicationName: 'migrations-test' }) };
  dir = mkdtempSync(join(tmpdir(), 'doska-migrations-'));
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
  expect(await tables()).toEqual(['first', 'schema_migration', 'second']);
});

test('[B13] looking at what is pending changes nothing', async () => {
  write('0001_first.sql', 'create table first (a int);');
  await pendingMigrations(db.pool, { dir });
  expect(await tables()).toEqual([]);
});

test('[B13] an absent folder holds no migrations', async () => {
  expect((await migrate(db.pool, { dir: join(dir, 'absent') }))._unsafeUnwrap()).toEqual({ applied: [] });
});

test('[B13] four starters at once apply every migration exactly once', async () => {
  for (let n = 1; n <= 9; n++)
    write(`000${n}_t${n}.sql`, `create table t${n} (a int); select pg_sleep(0.01);`);
  const pools = [1, 2, 3, 4].map(() => createPool({ url: db.url, max: 2, applicationName: 'starter' }));
  const results = await Promise.all(pools.map((pool) => migrate(pool, { dir })));
  await Promise.all(pools.map((pool) => pool.end()));
  const applied = results.flatMap((result) => result._unsafeUnwrap().applied);
  expect(applied.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `000${n}_t${n}`));
});

test('[B13] a failing migration leaves nothing half done and names itself', async () => {
  write('0001_good.sql', 'create table good (a int);');
  write('0002_bad.sql', 'create table half (a int); insert into half values (1); select 1/0;');
  write('0003_never.sql', 'create table never (a int);');
  const failed = (await migrate(db.pool, { dir }))._unsafeUnwrapErr();
  expect(failed).toMatchObject({ kind: 'FailedMigration', file: '0002_bad.sql' });
  expect(failed).toHaveProperty('message', expect.stringContaining('division by zero'));
  expect(await tables()).toEqual(['good', 'schema_migration']);
  write('0002_bad.sql', 'create table half (a int);');
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap()).toEqual({ applied: ['0002_bad', '0003_never'] });
});

test('[B13] a migration and the note of it are one: when the note fails, so does the migration', async () => {
  write('0001_first.sql', 'create table first (a int);');
  await migrate(db.pool, { dir });
  write('0002_half.sql', 'create table half (a int); alter table schema_migration add check (id <> 2);');
  expect((await migrate(db.pool, { dir })).isErr()).toBe(true);
  expect(await tables()).toEqual(['first', 'schema_migration']);
});

test('[B13] a file changed after it was applied is refused by name, and nothing later is applied', async () => {
  write('0001_first.sql', 'create table first (a int);');
  await migrate(db.pool, { dir });
  write('0001_first.sql', 'create table first (a int, b int);');
  write('0002_second.sql', 'create table second (a int);');
  const refused = (await migrate(db.pool, { dir }))._unsafeUnwrapErr();
  expect(refused).toMatchObject({ kind: 'ChangedMigration', file: '0001_first.sql' });
  expect((await pendingMigrations(db.pool, { dir }))._unsafeUnwrapErr()).toMatchObject({
    kind: 'ChangedMigration',
  });
  expect(await tables()).toEqual(['first', 'schema_migration']);
});

test('[B13] other line ends are not a change', async () => {
  write('0001_first.sql', 'create table first (\n a int);\n');
  await migrate(db.pool, { dir });
  write('0001_first.sql', 'create table first (\r\n a int);\r\n');
  expect((await migrate(db.pool, { dir }))._unsafeUnwrap()).toEqual({ applied: [] });
});

test('[B13] a database that a newer version migrated is refused', async () => {
  write('0001_first.sql', 'create table first (a int);');
  write('0002_newer.sql', 'create table newer (a int);');
  await migrate(db.pool, { dir });
  rmSync(join(dir, '0002_newer.sql'));
  const refused = (await migrate(db.pool, { dir }))._unsafeUnwrapErr();
  expect(refused).toMatchObject({ kind: 'UnknownMigration', file: '0002_newer.sql' });
});

test('[B13] a new file below an applied one is refused: the order is part of the schema', async () => {
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

test('[B13] a database that does not answer is Unavailable and retryable', async () => {
  const nowhere = createPool({ url: 'postgresql://x:x@127.0.0.1:1/x', max: 1, applicationName: 'nowhere' });
  write('0001_first.sql', 'create table first (a int);');
  const failed = (await migrate(nowhere, { dir }))._unsafeUnwrapErr();
  await nowhere.end();
  expect(failed).toMatchObject({ kind: 'Unavailable', retryable: true });
});
