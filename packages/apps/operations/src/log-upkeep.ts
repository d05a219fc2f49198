import { pruneLog } from '@doska/adapters-pg';
import type { JobSpec, Logger } from '@doska/core/kernel';
import { err, ok } from 'neverthrow';
import type pg from 'pg';

type Needs = { readonly pool: pg.Pool; readonly logger: Logger; readonly unreadFactor: number };

/** Deletes old records of the PostgreSQL log once an hour. Warns when a group has used half of the time to read its records. */
export const logUpkeep = ({ pool, logger, unreadFactor }: Needs): JobSpec => ({
  name: 'log-upkeep',
  everyMs: 3_600_000,
  run: async ({ signal }) => {
    const pruned = await pruneLog(pool, { unreadFactor, signal });
    if (pruned.isErr()) return err({ kind: 'JobFailed', reason: pruned.error.what });
    for (const group of pruned.value.inDanger)
      logger.warn('a group will lose records it has not read', group);
    return ok(`${pruned.value.batches} batches removed`);
  },
});
