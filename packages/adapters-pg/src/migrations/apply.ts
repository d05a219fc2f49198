import { err, ok, type Result } from 'neverthrow';
import type pg from 'pg';
import { codeOf, isRetryable } from '../driver/guard.ts';
import { functionPath } from './function-file.ts';
import type { MigrationError } from './migration-error.ts';
import type { Migration } from './migration-file.ts';
import type { AppliedFunction, AppliedMigration, FunctionPlan } from './plan.ts';

type Queryable = Pick<pg.Pool, 'query'>;

const TABLES = `create table if not exists schema_migration (
    id int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now());
  create table if not exists schema_function (
    name text primary key, checksum text not null, applied_at timestamptz not null default now());`;
/** `$1` is a name such as `gost.commit` or, in the current schema, `log_publish`. */
const FUNCTION_IS = (name: string): string => `p.proname = regexp_replace(${name}, '^.*\\.', '')
  and p.pronamespace = to_regnamespace(coalesce(substring(${name} from '^(.*)\\.'), current_schema()))`;
const FUNCTIONS = `select f.name, f.checksum, exists (select from pg_proc p where ${FUNCTION_IS('f.name')}) as exists
  from schema_function f order by f.name`;
const OVERLOADS = `select p.oid::regprocedure::text as signature from pg_proc p where ${FUNCTION_IS('$1::text')}`;
const NOTE_FUNCTION = `insert into schema_function (name, checksum) values ($1, $2)
  on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`;

export type Applied = {
  readonly migrations: readonly AppliedMigration[];
  readonly functions: readonly AppliedFunction[];
};

/** Creates the tables that `readApplied` reads. */
export const createTables = async (db: Queryable): Promise<void> => {
  await db.query(TABLES);
};
export const readApplied = async (db: Queryable): Promise<Applied> => ({
  migrations: (
    await db.query<AppliedMigration>('select id, name, checksum from schema_migration order by id')
  ).rows,
  functions: (await db.query<AppliedFunction>(FUNCTIONS)).rows,
});
/** The same for a database that may never have been migrated; changes nothing. */
export const readAppliedIfAny = async (db: Queryable): Promise<Applied> => {
  const { rows } = await db.query<{ exists: boolean }>(
    `select to_regclass('schema_function') is not null as exists`,
  );
  return rows[0]?.exists === true ? readApplied(db) : { migrations: [], functions: [] };
};

/** A statement that fails because of its text is a value; a lost connection is thrown on. */
const attempt = async (file: string, work: () => Promise<unknown>): Promise<Result<void, MigrationError>> => {
  try {
    await work();
    return ok(undefined);
  } catch (cause) {
    // Class 42: the text of the migration is wrong. Elsewhere an operator may repair that; here the file is at fault.
    if (isRetryable(cause) && !codeOf(cause).startsWith('42')) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    return err({
      kind: 'FailedMigration',
      file,
      message: `${file} failed and was rolled back: ${why}`,
      cause,
    });
  }
};

/** Both the migration and the note that it is applied; the caller's transaction makes them one. */
export const applyMigration = async (
  tx: pg.ClientBase,
  { id, name, sql, checksum }: Migration,
): Promise<Result<void, MigrationError>> => {
  const done = await attempt(`${name}.sql`, () => tx.query(sql));
  if (done.isOk())
    await tx.query('insert into schema_migration (id, name, checksum) values ($1, $2, $3)', [
      id,
      name,
      checksum,
    ]);
  return done;
};

/** Drops every function of that name, whatever its parameters were. */
const dropFunction = async (tx: pg.ClientBase, name: string): Promise<void> => {
  const { rows } = await tx.query<{ signature: string }>(OVERLOADS, [name]);
  for (const { signature } of rows) await tx.query(`drop function ${signature}`);
};

export const applyFunctions = async (
  tx: pg.ClientBase,
  { dropped, created }: FunctionPlan,
): Promise<Result<void, MigrationError>> => {
  for (const name of [...dropped, ...created.map((one) => one.name)]) {
    const done = await attempt(functionPath(name), () => dropFunction(tx, name));
    if (done.isErr()) return done;
  }
  await tx.query('delete from schema_function where name = any($1)', [dropped]);
  for (const { name, sql, checksum } of created) {
    const done = await attempt(functionPath(name), () => tx.query(sql));
    if (done.isErr()) return done;
    await tx.query(NOTE_FUNCTION, [name, checksum]);
  }
  return ok(undefined);
};
