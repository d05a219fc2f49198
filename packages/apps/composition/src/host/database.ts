import { createPool, migrate, pendingMigrations, type MigrationError } from '@doska/adapters-pg';
import type { Clock, Logger, Unavailable } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import type { Config } from '../config/config.ts';
import { openEmbedded } from './embedded.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Part } from './part.ts';
import { awayProblem, messageOf, startProblem, type StartProblem } from './problem.ts';

export type OpenDatabase = {
  readonly url: string;
  /** Parts that keep the database running. None for a configured database. */
  readonly keepers: readonly Part[];
};

/** The configured database. Without one, the embedded server is started. */
export const openDatabase = async (
  { databaseUrl, dataDir }: Config,
  parts: { readonly lifecycle: Lifecycle; readonly logger: Logger; readonly clock: Clock },
): Promise<Result<OpenDatabase, StartProblem>> => {
  if (databaseUrl !== undefined) return ok({ url: databaseUrl, keepers: [] });
  return (await openEmbedded({ dataDir, ...parts })).map(({ url, keeper }) => ({ url, keepers: [keeper] }));
};

const problemOf = (error: MigrationError | Unavailable): StartProblem =>
  error.kind === 'Unavailable'
    ? awayProblem(
        `The database can't be reached: ${error.cause === undefined ? error.what : messageOf(error.cause)}.`,
        error.retryable,
      )
    : startProblem(error.message);

/** Applies missing migrations, or with DOSKA_MIGRATE=check refuses to start if some are missing. */
export const settleSchema = async (
  config: Config,
  url: string,
  logger: Logger,
): Promise<Result<void, StartProblem>> => {
  const pool = createPool({ url, max: 2, applicationName: 'doska-migrate' });
  try {
    if ((config.migrate ?? (config.profile === 'embedded' ? 'auto' : 'check')) === 'check') {
      const pending = await pendingMigrations(pool);
      if (pending.isErr()) return err(problemOf(pending.error));
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
    if (migrated.isErr()) return err(problemOf(migrated.error));
    if (migrated.value.applied.length > 0)
      logger.info('migrations applied', { applied: migrated.value.applied });
    return ok(undefined);
  } finally {
    await pool.end();
  }
};
