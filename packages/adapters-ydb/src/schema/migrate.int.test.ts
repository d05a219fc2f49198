import { afterEach, beforeEach, expect, test } from 'vitest';
import { realClock, realIds } from '@doska/core/kernel/testing';
import type { YdbClient } from '../driver/client.ts';
import { sdk } from '../driver/sdk.ts';
import { connectTo } from '../testing/open-ydb.ts';
import { schemaFromSyntax } from '../testing/stand-in/execution/schema-statement.ts';
import { startStandIn, type StandIn } from '../testing/stand-in/stand-in.ts';
import { parseYql } from '../testing/stand-in/syntax/parse.ts';
import { migrateYdb, migrationTables, pendingYdbMigrations } from './migrate.ts';
import { migrations, type Migration } from './migration.ts';
import { createTableText, table } from './table-spec.ts';

let standIn: StandIn;
let client: YdbClient;
beforeEach(async () => {
  standIn = await startStandIn();
  client = await connectTo(standIn.connectionString, { directory: 'deep/down' });
});
afterEach(async () => {
  await client.close();
  await standIn.close();
});
const needs = { clock: realClock, ids: realIds };
const run = (all: readonly Migration[] = migrations, on = client) =>
  migrateYdb(on, { ...needs, migrations: all });
const names = () => standIn.tables.tables().map(({ path }) => path.replace('/local/deep/down/', ''));
const small = (id: string, ...tables: string[]): Migration => ({
  id,
  steps: tables.map((name) => ({
    kind: 'createTable',
    table: table({ name, columns: { id: 'Utf8', n: 'Uint64?' }, primaryKey: ['id'] }),
  })),
});

test('[B13] all tables are created once, in their order, in their own directory', async () => {
  expect((await run())._unsafeUnwrap()).toEqual({ applied: migrations.map(({ id }) => id) });
  expect(names().slice(0, 3)).toEqual(['schema_migrations', 'schema_lock', 'lease_set']);
  const before = standIn.calls.length;
  expect((await run())._unsafeUnwrap()).toEqual({ applied: [] });
  expect(standIn.calls.slice(before)).not.toContain('CreateTable');
  expect((await pendingYdbMigrations(client))._unsafeUnwrap()).toEqual([]);
});
test('[B13] the text of a table describes the table that was created', async () => {
  (await run())._unsafeUnwrap();
  const specs = migrations.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'createTable' ? [step.table] : [])),
  );
  for (const spec of [...migrationTables, ...specs]) {
    const [statement] = parseYql(createTableText(spec, client.directory));
    if (statement?.kind !== 'createTable') throw new Error('not a table');
    expect(standIn.tables.table(statement.table).schema).toEqual(schemaFromSyntax(statement));
  }
  expect(standIn.tables.tables()).toHaveLength(specs.length + migrationTables.length);
});
test('[B13] in an empty database all migrations are pending, and pendingYdbMigrations creates nothing', async () => {
  for (let look = 0; look < 2; look++)
    expect((await pendingYdbMigrations(client))._unsafeUnwrap()).toEqual(migrations.map(({ id }) => id));
  expect(names()).toEqual([]);
});
test('[B13] four processes that start at once apply every migration exactly once', async () => {
  const all = Array.from({ length: 6 }, (_, n) => small(`000${n}`, `t${n}`));
  const clients = await Promise.all(
    [1, 2, 3, 4].map(() => connectTo(standIn.connectionString, { directory: 'deep/down' })),
  );
  const done = await Promise.all(clients.map((one) => run(all, one)));
  expect(done.flatMap((outcome) => outcome._unsafeUnwrap().applied).sort()).toEqual(all.map(({ id }) => id));
  await Promise.all(clients.map((one) => one.close()));
});
test('[B13] a partially applied migration is completed', async () => {
  standIn.faults.add(
    'CreateTable',
    { kind: 'refuse', status: 'GENERIC_ERROR' },
    { when: (request) => 'path' in request && String(request.path).endsWith('/b') },
  );
  expect((await run([small('0001', 'a', 'b', 'c')])).isErr()).toBe(true);
  expect(names()).toContain('a');
  expect((await run([small('0001', 'a', 'b', 'c')]))._unsafeUnwrap()).toEqual({ applied: ['0001'] });
  expect(names().slice(-3).sort()).toEqual(['a', 'b', 'c']);
});
test('[B13] a table that exists although its creation returned an error is accepted', async () => {
  standIn.faults.add(
    'CreateTable',
    { kind: 'applyThenRefuse', status: 'GENERIC_ERROR' },
    { when: (request) => 'path' in request && String(request.path).endsWith('/a') },
  );
  expect((await run([small('0001', 'a')]))._unsafeUnwrap()).toEqual({ applied: ['0001'] });
});
test('[B13] columns are added to an existing table once', async () => {
  (await run([small('0001', 'a')]))._unsafeUnwrap();
  const more: Migration = {
    id: '0002',
    steps: [{ kind: 'addColumns', table: 'a', columns: { note: 'Utf8?' } }],
  };
  expect((await run([small('0001', 'a'), more]))._unsafeUnwrap()).toEqual({ applied: ['0002'] });
  expect(standIn.tables.table('/local/deep/down/a').schema.columns.map(({ name }) => name)).toEqual([
    'id',
    'n',
    'note',
  ]);
  const again: Migration = { id: '0003', steps: more.steps };
  expect((await run([small('0001', 'a'), more, again]))._unsafeUnwrap()).toEqual({ applied: ['0003'] });
});
test('[B13] a changed migration, a migration of a newer version and a foreign table are refused by name', async () => {
  (await run([small('0001', 'a'), small('0002', 'b')]))._unsafeUnwrap();
  expect((await run([small('0001', 'a', 'x'), small('0002', 'b')]))._unsafeUnwrapErr()).toMatchObject({
    kind: 'ChangedMigration',
    id: '0001',
  });
  expect((await run([small('0001', 'a')]))._unsafeUnwrapErr()).toMatchObject({
    kind: 'UnknownMigration',
    id: '0002',
  });
  const other = table({ name: 'a', columns: { id: 'Utf8', n: 'Uint64' }, primaryKey: ['id'] });
  const foreign: Migration = { id: '0003', steps: [{ kind: 'createTable', table: other }] };
  expect((await run([small('0001', 'a'), small('0002', 'b'), foreign]))._unsafeUnwrapErr()).toMatchObject({
    kind: 'ForeignTable',
    id: '0003',
  });
});
test('[B13] a process that died blocks the others only until its lock expires', async () => {
  (await run([]))._unsafeUnwrap();
  const locked = (untilMs: number) =>
    client.sdk.withSession((session) =>
      session.executeQuery(
        'DECLARE $until AS Timestamp; UPSERT INTO `/local/deep/down/schema_lock` (id, owner, expires_at) VALUES ("migrations"u, "dead"u, $until);',
        { $until: sdk.TypedValues.timestamp(new Date(untilMs)) },
      ),
    );
  const patient = { ...needs, migrations: [small('0001', 'a')], waitMs: 150 };
  await locked(Date.now() + 3_600_000);
  expect((await migrateYdb(client, patient))._unsafeUnwrapErr()).toMatchObject({
    kind: 'Unavailable',
    retryable: true,
  });
  await locked(Date.now());
  expect((await migrateYdb(client, patient))._unsafeUnwrap()).toEqual({ applied: ['0001'] });
});
