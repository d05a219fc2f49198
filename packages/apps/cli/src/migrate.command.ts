import { createPool, migrate, pendingMigrations } from '@doska/adapters-pg';
import { Lifecycle, openDatabase } from '@doska/app-composition';
import { silentTelemetry } from '@doska/core/kernel';
import { err, ok } from 'neverthrow';
import { EXIT, problem, type CommandResult } from './outcome.ts';
import { configured } from './platform.ts';

/** Applies what the configured database lacks; with `dryRun` only tells. */
export const migrateCommand = async ({
  dryRun = false,
}: {
  readonly dryRun?: boolean;
}): Promise<CommandResult> => {
  const config = configured();
  if (config.isErr()) return err(config.error);
  const lifecycle = new Lifecycle();
  const { logger } = silentTelemetry;
  const url = await openDatabase(config.value, lifecycle, logger);
  if (url.isErr()) return err(problem(url.error.lines.join('\n'), EXIT.unavailable));
  const pool = createPool({ url: url.value, max: 2, applicationName: 'doska-migrate' });
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
  const { applied, pending } = outcome.value;
  const words = dryRun
    ? pending.length > 0
      ? `pending: ${pending.join(', ')}`
      : 'nothing is pending'
    : applied.length > 0
      ? `applied: ${applied.join(', ')}`
      : 'up to date';
  return ok({ value: outcome.value, text: words });
};
