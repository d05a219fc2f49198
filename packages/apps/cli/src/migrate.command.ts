import { createPool, migrate, pendingMigrations } from '@doska/adapters-pg';
import {
  Lifecycle,
  migrateConfiguredYdb,
  openDatabase,
  systemClock,
  systemIds,
  systemRandom,
} from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { silentTelemetry } from '@doska/core/kernel';
import { err, ok } from 'neverthrow';
import { EXIT, problem, type CommandResult } from './outcome.ts';
import { configured } from './platform.ts';

/** Applies what the configured databases lack, PostgreSQL and YDB; with `dryRun` only tells. */
export const migrateCommand = async ({
  dryRun = false,
}: {
  readonly dryRun?: boolean;
}): Promise<CommandResult> => {
  const config = configured();
  if (config.isErr()) return err(config.error);
  const lifecycle = new Lifecycle();
  const { logger } = silentTelemetry;
  const database = await openDatabase(config.value, { lifecycle, logger, clock: systemClock });
  if (database.isErr()) return err(problem(database.error.lines.join('\n'), EXIT.unavailable));
  const pool = createPool({ url: database.value.url, max: 2, applicationName: 'doska-migrate' });
  lifecycle.add('pool', () => pool.end());
  const outcome = dryRun
    ? await pendingMigrations(pool).map((pending) => ({ applied: [], pending }))
    : await migrate(pool).map(({ applied }) => ({ applied, pending: [] }));
  await lifecycle.close(logger);
  if (outcome.isErr())
    return err(
      problem(
        outcome.error.kind === 'Unavailable'
          ? `The database can't be reached: ${outcome.error.what}`
          : outcome.error.message,
        EXIT.failed,
      ),
    );
  const ydb = await migrateConfiguredYdb(config.value, contexts, {
    clock: systemClock,
    random: systemRandom,
    ids: systemIds,
    logger,
    dryRun,
  });
  if (ydb.isErr()) return err(problem(ydb.error.lines.join('\n'), EXIT.failed));
  const onYdb = (ids: readonly string[]): readonly string[] => ids.map((id) => `ydb/${id}`);
  const applied = [...outcome.value.applied, ...onYdb(ydb.value.applied)];
  const pending = [...outcome.value.pending, ...onYdb(ydb.value.pending)];
  const words = dryRun
    ? pending.length > 0
      ? `pending: ${pending.join(', ')}`
      : 'nothing is pending'
    : applied.length > 0
      ? `applied: ${applied.join(', ')}`
      : 'up to date';
  return ok({ value: { applied, pending }, text: words });
};
