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
    // A client that can't even roll back is thrown away, with whatever the server still holds for it.
    await tx.query('rollback').catch(() => (broken = true));
    throw cause;
  } finally {
    tx.release(broken);
  }
};

/** `work` in one READ COMMITTED transaction: an `Ok` commits, an `Err` rolls back, a driver's error rolls back and is `Unavailable`. */
export const inTransaction = <T, E>(
  pool: pg.Pool,
  what: string,
  work: (tx: pg.PoolClient) => Promise<Result<T, E>>,
): ResultAsync<T, E | Unavailable> =>
  ResultAsync.fromPromise(run(pool, work), (cause): E | Unavailable =>
    unavailable(what, cause, isRetryable(cause)),
  ).andThen((outcome) => outcome);
