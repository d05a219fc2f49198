import { pgGenericStorage, pgLeaseStore } from '@doska/adapters-pg';
import type { Unavailable } from '@doska/core/kernel';
import { err, ok, type ResultAsync, type Result } from 'neverthrow';
import type pg from 'pg';
import type { Store } from '../config/store.ts';
import { awayProblem, startProblem, type StartProblem } from './problem.ts';

const SPACE = 'platform';
const KEY = 'lease-store';
/** Consumer groups of the log on PostgreSQL have leases there, whatever the store is. */
const OF_THE_LOG = 'log/';

const refused = (kept: string, configured: Store): StartProblem =>
  startProblem(
    `DOSKA_STORE: the leases of this installation are in ${kept}, and it is ${configured}. In another database their tokens begin again at 1, and the stores refuse the work of members with such tokens. Set DOSKA_STORE=${kept}.`,
  );
const away = ({ what, retryable }: Unavailable): StartProblem =>
  awayProblem(`The database can't be reached: ${what}.`, retryable);

/**
 * Fixes the store of leases at the first start and refuses another one later. An installation that has leases in PostgreSQL
 * and no note was started by a version that knew no other store.
 */
export const settleLeaseStore = async (
  pool: pg.Pool,
  configured: Store,
): Promise<Result<void, StartProblem>> => {
  const storage = pgGenericStorage(pool);
  const noted = (): ResultAsync<string | undefined, Unavailable> =>
    storage.get(SPACE, [KEY]).map(([found]) => found && Buffer.from(found.value).toString());
  const compare = (kept: string | undefined): Result<void, StartProblem> =>
    kept === undefined || kept === configured ? ok(undefined) : err(refused(kept, configured));

  const before = await noted();
  if (before.isErr()) return err(away(before.error));
  if (before.value !== undefined) return compare(before.value);
  const sets = await pgLeaseStore(pool).list();
  if (sets.isErr()) return err(away(sets.error));
  const hasLeases = sets.value.some(({ set }) => !set.startsWith(OF_THE_LOG));
  const first: Store = hasLeases ? 'postgres' : configured;
  const written = await storage.put(SPACE, KEY, Buffer.from(first), 0);
  if (written.isOk()) return compare(first);
  if (written.error.kind === 'Unavailable') return err(away(written.error));
  // Another process was faster.
  const after = await noted();
  return after.isErr() ? err(away(after.error)) : compare(after.value);
};
