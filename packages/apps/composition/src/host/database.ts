import { createPool, migrate, pendingMigrations, type MigrationError } from '@doska/adapters-pg';
import { startEmbeddedPostgres } from '@doska/adapters-pg/embedded';
import type { Logger, Unavailable } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import type { Config } from '../config/load.ts';
import type { Lifecycle } from './lifecycle.ts';
import { startProblem, type StartProblem } from './problem.ts';

/** The address of the database in use: the given one, or that of the embedded server, which is started for it. */
export const openDatabase = async (
  config: Config,
  lifecycle: Lifecycle,
  logger: Logger,
): Promise<Result<string, StartProblem>> => {
  if (config.databaseUrl !== undefined) return ok(config.databaseUrl);
  const started = await startEmbeddedPostgres({ dataDir: config.dataDir, log: (line) => logger.info(line) });
  if (started.isErr()) return err(startProblem(started.error.message));
  const server = started.value;
  lifecycle.add('embedded PostgreSQL', () => server.stop());
  logger.info(
    server.owned ? 'embedded PostgreSQL started' : 'embedded PostgreSQL of another process in use',
    { port: server.port, dataDir: server.dataDir },
  );
  return ok(server.url);
};

const wordsOf = (error: MigrationError | Unavailable): string =>
  error.kind === 'Unavailable'
    ? `The database can't be reached: ${error.cause instanceof Error ? error.cause.message : error.what}`
    : error.message;

/** Brings the schema up to date, or makes sure that somebody has. */
export const settleSchema = async (
  config: Config,
  url: string,
  logger: Logger,
): Promise<Result<void, StartProblem>> => {
  const pool = createPool({ url, max: 2, applicationName: 'doska-migrate' });
  try {
    if ((config.migrate ?? (config.profile === 'embedded' ? 'auto' : 'check')) === 'check') {
      const pending = await pendingMigrations(pool);
      if (pending.isErr()) return err(startProblem(wordsOf(pending.error)));
      if (pending.value.length > 0)
        return err(
          startProblem(
            `The database lacks migrations: ${pending.value.join(', ')}.`,
            'Apply them with `npm run doska -- migrate`, or start with DOSKA_MIGRATE=auto.',
          ),
        );
      return ok(undefined);
    }
    const migrated = await migrate(pool);
    if (migrated.isErr()) return err(startProblem(wordsOf(migrated.error)));
    if (migrated.value.applied.length > 0)
      logger.info('migrations applied', { applied: migrated.value.applied });
    return ok(undefined);
  } finally {
    await pool.end();
  }
};
