import { ResultAsync, type Result } from 'neverthrow';
import type pg from 'pg';
import { unavailable, type Unavailable } from '@doska/core/kernel';
import { isRetryable } from './guard.ts';

const run = async <T, E>(
  pool: pg.Pool,
  work: (tx: pg.PoolClient) => Promise<Result<T, E>>,
): Promise<Result<T, E>> => {
  const tx = await pool.connect();
  let broken = false;
  try {
    await tx.query('begin');
    const outcome = await work(tx);
    await tx.query(outcome.isOk() ? 'commit' : 'rollback');
    return outcome;
  } catch (cause) {
    // A client that fails to roll back is discarded; its server process ends and releases its locks.
    await tx.query('rollback').catch(() => (broken = true));
    throw cause;
  } finally {
    tx.release(broken);
  }
};

/** Runs `work` in one READ COMMITTED transaction. `Ok` commits, `Err` rolls back, a driver error rolls back and becomes `Unavailable`. */
export const inTransaction = <T, E>(
  pool: pg.Pool,
  what: string,
  work: (tx: pg.PoolClient) => Promise<Result<T, E>>,
): ResultAsync<T, E | Unavailable> =>
  ResultAsync.fromPromise(run(pool, work), (cause): E | Unavailable =>
    unavailable(what, cause, isRetryable(cause)),
  ).andThen((outcome) => outcome);
