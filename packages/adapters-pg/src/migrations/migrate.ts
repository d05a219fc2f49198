import { fileURLToPath } from 'node:url';
import { ok, safeTry, type ResultAsync } from 'neverthrow';
import type pg from 'pg';
import type { Unavailable } from '@doska/core/kernel';
import { guard, isRetryable } from '../driver/guard.ts';
import type { MigrationError } from './migration-error.ts';
import { readMigrations, type Migration } from './migration-file.ts';
import { pendingOf, type Applied } from './plan.ts';

export type Migrated = { readonly applied: readonly string[] };
export type MigrateOptions = { readonly dir?: string };

/** The same place seen from `src` and from `dist`. */
const OURS = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** One number for all of Doska in `pg_advisory_xact_lock`: the letters of "doska". */
const LOCK = '0x646f736b61';

const readApplied = async (db: pg.ClientBase | pg.Pool): Promise<readonly Applied[]> =>
  (await db.query<Applied>('select id, name, checksum from schema_migration order by id')).rows;

/** Rolls the transaction back and throws on; the caller turns it into a value. */
const inTransaction = async <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    broken = false;
    return result;
  } finally {
    if (broken)
      await client.query('rollback').then(
        () => (broken = false),
        () => {},
      );
    client.release(broken);
  }
};

/** A marker of our own, thrown through the transaction so that it rolls back. */
class Refused extends Error {
  constructor(readonly why: MigrationError) {
    super(why.message);
  }
}

const apply = async (client: pg.PoolClient, { id, name, sql, checksum }: Migration): Promise<void> => {
  try {
    await client.query(sql);
  } catch (cause) {
    if (isRetryable(cause)) throw cause;
    const message = `${name}.sql failed and was rolled back: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new Refused({ kind: 'FailedMigration', file: `${name}.sql`, message, cause });
  }
  await client.query('insert into schema_migration (id, name, checksum) values ($1, $2, $3)', [
    id,
    name,
    checksum,
  ]);
};

/** Applies the first pending migration, if any. The lock is the transaction's, so that a dead starter holds up nobody. */
const applyNext = (pool: pg.Pool, files: readonly Migration[]): Promise<string | undefined> =>
  inTransaction(pool, async (client) => {
    await client.query('set local statement_timeout = 0'); // waiting for other starters is not an error
    await client.query(`select pg_advisory_xact_lock(${BigInt(LOCK)})`);
    await client.query(
      `create table if not exists schema_migration (
         id int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const next = pendingOf(files, await readApplied(client)).match(
      ([first]) => first,
      (why) => {
        throw new Refused(why);
      },
    );
    if (next === undefined) return undefined;
    await apply(client, next);
    return next.name;
  });

const refusedOr = (failure: Unavailable): MigrationError | Unavailable =>
  failure.cause instanceof Refused ? failure.cause.why : failure;

/**
 * Brings the schema up to date: every migration in its own transaction, in order, once, however many processes
 * start at the same time. After a failure everything before the named migration is applied and nothing of it.
 */
export const migrate = (
  pool: pg.Pool,
  { dir = OURS }: MigrateOptions = {},
): ResultAsync<Migrated, MigrationError | Unavailable> =>
  safeTry<Migrated, MigrationError | Unavailable>(async function* () {
    const files = yield* await readMigrations(dir);
    const applied: string[] = [];
    for (;;) {
      const name = yield* guard('migrations', () => applyNext(pool, files)).mapErr(refusedOr);
      if (name === undefined) return ok({ applied });
      applied.push(name);
    }
  });

/** The names that `migrate` would apply now; changes nothing. */
export const pendingMigrations = (
  pool: pg.Pool,
  { dir = OURS }: MigrateOptions = {},
): ResultAsync<readonly string[], MigrationError | Unavailable> =>
  safeTry<readonly string[], MigrationError | Unavailable>(async function* () {
    const files = yield* await readMigrations(dir);
    const applied = yield* guard('migrations', async () => {
      const { rows } = await pool.query<{ there: boolean }>(
        `select to_regclass('schema_migration') is not null as there`,
      );
      return rows[0]?.there === true ? readApplied(pool) : [];
    });
    return pendingOf(files, applied).map((pending) => pending.map(({ name }) => name));
  });
