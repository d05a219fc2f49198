import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { sleep, unavailable, type Clock, type Ids, type Unavailable } from '@doska/core/kernel';
import type { YdbClient } from '../driver/client.ts';
import { guard } from '../driver/guard.ts';
import { query } from '../driver/query.ts';
import {
  checksumOf,
  migrations as ours,
  pendingOf,
  type Migration,
  type MigrationError,
} from './migration.ts';
import { ensureColumns, ensureTable, hasTable, makeDirectory } from './table-maker.ts';
import { table } from './table-spec.ts';

const applied = table({
  name: 'schema_migrations',
  columns: { id: 'Utf8', checksum: 'Utf8', applied_at: 'Timestamp' },
  primaryKey: ['id'],
});
/** One row: which process migrates, and until when. */
const lock = table({
  name: 'schema_lock',
  columns: { id: 'Utf8', owner: 'Utf8', expires_at: 'Timestamp' },
  primaryKey: ['id'],
});
export const migrationTables = [applied, lock];

const APPLIED = query({
  name: 'schema/applied',
  parameters: {},
  results: [{ id: 'Utf8', checksum: 'Utf8' }],
  text: 'SELECT id, checksum FROM schema_migrations ORDER BY id LIMIT 1000;',
});
const NOTE = query({
  name: 'schema/note',
  parameters: { id: 'Utf8', checksum: 'Utf8' },
  results: [],
  text: 'UPSERT INTO schema_migrations (id, checksum, applied_at) VALUES ($id, $checksum, CurrentUtcTimestamp());',
});
const LOCK_READ = query({
  name: 'schema/lock-read',
  parameters: {},
  results: [{ now: 'Timestamp' }, { owner: 'Utf8', expires_at: 'Timestamp' }],
  text: `SELECT CurrentUtcTimestamp() AS now;
SELECT owner, expires_at FROM schema_lock WHERE id = "migrations"u;`,
});
const LOCK_TAKE = query({
  name: 'schema/lock-take',
  parameters: { owner: 'Utf8', expires_at: 'Timestamp' },
  results: [],
  text: 'UPSERT INTO schema_lock (id, owner, expires_at) VALUES ("migrations"u, $owner, $expires_at);',
});
export const migrationQueries = [APPLIED, NOTE, LOCK_READ, LOCK_TAKE];

export type MigrateNeeds = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly migrations?: readonly Migration[];
  /** How long the lock of a process that died blocks the others. */
  readonly lockMs?: number;
  /** How long to wait for another process that migrates. */
  readonly waitMs?: number;
};
export type Migrated = { readonly applied: readonly string[] };

/** Takes the lock; tells whether `owner` has it. A lock for 0 ms releases it. */
const takeLock = (client: YdbClient, owner: string, lockMs: number): ResultAsync<boolean, Unavailable> =>
  client.write(
    'schema.lock',
    async (tx) => {
      const [[time], [held]] = await tx.run(LOCK_READ, {});
      const now = time?.now ?? 0;
      if (held && held.owner !== owner && held.expires_at > now) return false;
      await tx.commit(LOCK_TAKE, { owner, expires_at: now + lockMs * 1_000 });
      return true;
    },
    { idempotent: true },
  );
const applyOne = (client: YdbClient, migration: Migration): ResultAsync<void, MigrationError | Unavailable> =>
  guard('schema.apply', async () => {
    for (const step of migration.steps) {
      const differs =
        step.kind === 'createTable'
          ? await ensureTable(client, step.table)
          : await ensureColumns(client, step.table, step.columns);
      const name = step.kind === 'createTable' ? step.table.name : step.table;
      if (differs !== undefined) return `the table ${name} is there already, and ${differs}`;
    }
    return undefined;
  })
    .andThen((problem): Result<void, MigrationError> => {
      if (problem === undefined) return ok(undefined);
      return err({ kind: 'ForeignTable', id: migration.id, message: `${migration.id}: ${problem}` });
    })
    .andThen(() =>
      client.write(
        'schema.note',
        async (tx) => void (await tx.commit(NOTE, { id: migration.id, checksum: checksumOf(migration) })),
        { idempotent: true },
      ),
    );
const pending = (client: YdbClient, all: readonly Migration[]) =>
  client
    .read('schema.applied', async (tx) => (await tx.commit(APPLIED, {}))[0])
    .andThen((found) => pendingOf(all, found));

/**
 * Brings the tables up to date: applies every migration in order. Only one process at a time migrates. The next process
 * completes what a process that died left behind.
 */
export const migrateYdb = (
  client: YdbClient,
  { clock, ids, migrations = ours, lockMs = 60_000, waitMs = 120_000 }: MigrateNeeds,
): ResultAsync<Migrated, MigrationError | Unavailable> => {
  const owner = ids.next();
  const prepare = guard('schema.prepare', async () => {
    await makeDirectory(client);
    for (const one of migrationTables) await ensureTable(client, one);
  });
  const applyAll = async (): Promise<Result<Migrated, MigrationError | Unavailable>> => {
    const names: string[] = [];
    const untilMs = clock.nowMs() + waitMs;
    for (;;) {
      const next = (await pending(client, migrations)).map(([first]) => first);
      if (next.isErr()) return err(next.error);
      if (next.value === undefined) return ok({ applied: names });
      const held = await takeLock(client, owner, lockMs);
      if (held.isErr()) return err(held.error);
      if (!held.value) {
        if (clock.nowMs() > untilMs) return err(unavailable('another process is migrating the schema'));
        await sleep(clock, 100);
        continue;
      }
      // Another process may have applied it during the wait for the lock.
      const still = (await pending(client, migrations)).map(([first]) => first);
      if (still.isErr()) return err(still.error);
      if (still.value === undefined) return ok({ applied: names });
      const done = await applyOne(client, still.value);
      if (done.isErr()) return err(done.error);
      names.push(still.value.id);
    }
  };
  const giveBack = async (outcome: Result<Migrated, MigrationError | Unavailable>) => {
    if (outcome.isErr() || outcome.value.applied.length > 0) await takeLock(client, owner, 0);
    return outcome;
  };
  return prepare.andThen(() => new ResultAsync(applyAll().then(giveBack)));
};
/** The migrations that `migrateYdb` would apply now; creates nothing. */
export const pendingYdbMigrations = (
  client: YdbClient,
  all: readonly Migration[] = ours,
): ResultAsync<readonly string[], MigrationError | Unavailable> =>
  guard('schema.look', () => hasTable(client, applied.name))
    .andThen((begun) => (begun ? pending(client, all) : ok(all)))
    .map((found) => found.map(({ id }) => id));
