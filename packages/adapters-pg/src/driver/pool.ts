import pg from 'pg';

export type PoolOptions = {
  readonly url: string;
  /** The most connections at a time. */
  readonly max: number;
  /** Shown in pg_stat_activity, so that an operator knows whose connection it is. */
  readonly applicationName: string;
  /** A statement that runs longer is cancelled by the server and fails as retryable. */
  readonly statementTimeoutMs?: number;
  /** A transaction that says nothing for so long is ended by the server: a process that sleeps in it blocks nobody for ever. */
  readonly idleInTransactionMs?: number;
  /** Called for an idle connection that broke. The pool replaces it. */
  readonly onIdleError?: (cause: Error) => void;
};

const IDLE_IN_TRANSACTION_MS = 30_000;

/**
 * A pool that survives restarts of its server: it drops broken connections and opens a new one for the next query.
 * int8 and numeric arrive as strings, because a 64-bit id does not fit a number. Callers whose values are small convert
 * them where they read them.
 */
export const createPool = (options: PoolOptions): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    idle_in_transaction_session_timeout: options.idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS,
    ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
  });
  // Without a listener Node ends the process at the first such error.
  pool.on('error', (cause) => options.onIdleError?.(cause));
  // A checked-out client may break between two queries. The caller's next query fails and reports it.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
};
