import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { err, ok, safeTry, type Result, type ResultAsync } from 'neverthrow';
import type pg from 'pg';
import type { Unavailable } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import type { FunctionSpec } from '../driver/sql-function.ts';
import { inTransaction } from '../driver/transaction.ts';
import { gostFunctions } from '../gost/sql-functions.ts';
import { vasgenFunctions } from '../vasgen/sql-functions.ts';
import { applyFunctions, applyMigration, createTables, readApplied, readAppliedIfAny } from './apply.ts';
import { readFunctions, type FunctionFile } from './function-file.ts';
import type { MigrationError } from './migration-error.ts';
import { readMigrations, type Migration } from './migration-file.ts';
import { functionPlan, namesOf, pendingOf } from './plan.ts';

/** Names of what was done: `0004_gost`, `function gost.commit`, `drop function gost.old`. */
export type Migrated = { readonly applied: readonly string[] };
export type MigrateOptions = {
  /** The folder with the subfolders `migrations` and `functions`; by default this package. */
  readonly dir?: string;
  /** What the placeholders in the functions are filled in from. */
  readonly specs?: readonly FunctionSpec[];
};
type Files = { readonly migrations: readonly Migration[]; readonly functions: readonly FunctionFile[] };

/** The same place seen from `src` and from `dist`. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/** The key of `pg_advisory_xact_lock` for every version of Doska: the letters of "doska". */
const LOCK = '0x646f736b61';

const readFiles = async ({
  dir = PACKAGE,
  specs = [...gostFunctions, ...vasgenFunctions],
}: MigrateOptions): Promise<Result<Files, MigrationError>> => {
  const migrations = await readMigrations(join(dir, 'migrations'));
  if (migrations.isErr()) return err(migrations.error);
  const functions = await readFunctions(join(dir, 'functions'), specs);
  return functions.map((found) => ({ migrations: migrations.value, functions: found }));
};

/**
 * Applies the first pending migration, if any. The functions change in the same transaction as the last migration, so
 * that no process ever sees the new tables with the old functions. Returns what was done; nothing means up to date.
 *
 * The lock belongs to the transaction, so that a process that dies releases it.
 */
const applyNext = (
  pool: pg.Pool,
  { migrations, functions }: Files,
): ResultAsync<readonly string[], MigrationError | Unavailable> =>
  inTransaction(pool, 'migrations', async (tx): Promise<Result<readonly string[], MigrationError>> => {
    await tx.query('set local statement_timeout = 0'); // waiting for other processes is not an error
    await tx.query(`select pg_advisory_xact_lock(${BigInt(LOCK)})`);
    await createTables(tx);
    const applied = await readApplied(tx);
    const pending = pendingOf(migrations, applied.migrations);
    if (pending.isErr()) return err(pending.error);
    const [next, ...later] = pending.value;
    if (next !== undefined) {
      const done = await applyMigration(tx, next);
      if (done.isErr()) return err(done.error);
      if (later.length > 0) return ok([next.name]);
    }
    // Read again: the migration may have dropped functions.
    const plan = functionPlan(functions, (await readApplied(tx)).functions);
    const done = await applyFunctions(tx, plan);
    return done.map(() => (next === undefined ? namesOf(plan) : [next.name, ...namesOf(plan)]));
  });

/**
 * Brings the schema up to date: applies every migration in its own transaction, in order and once, however many
 * processes start at the same time, and creates changed functions again. After a failure everything before the named
 * migration is applied and nothing of it.
 */
export const migrate = (
  pool: pg.Pool,
  options: MigrateOptions = {},
): ResultAsync<Migrated, MigrationError | Unavailable> =>
  safeTry<Migrated, MigrationError | Unavailable>(async function* () {
    const files = yield* await readFiles(options);
    const applied: string[] = [];
    for (;;) {
      const names = yield* applyNext(pool, files);
      if (names.length === 0) return ok({ applied });
      applied.push(...names);
    }
  });

/** The names of what `migrate` would do now, migrations and functions; changes nothing. */
export const pendingMigrations = (
  pool: pg.Pool,
  options: MigrateOptions = {},
): ResultAsync<readonly string[], MigrationError | Unavailable> =>
  safeTry<readonly string[], MigrationError | Unavailable>(async function* () {
    const { migrations, functions } = yield* await readFiles(options);
    const applied = yield* guard('migrations', () => readAppliedIfAny(pool));
    const plan = functionPlan(functions, applied.functions);
    return pendingOf(migrations, applied.migrations).map((pending) => [
      ...pending.map(({ name }) => name),
      ...namesOf(plan),
    ]);
  });
