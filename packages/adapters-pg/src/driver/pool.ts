import pg from 'pg';

export type PoolOptions = {
  readonly url: string;
  /** Connections at most. */
  readonly max: number;
  /** Shown in pg_stat_activity, so that an operator knows whose connection it is. */
  readonly applicationName: string;
  /** A statement that runs longer is cancelled by the server and fails as retryable. */
  readonly statementTimeoutMs?: number;
  /** Told about connections that broke while nobody used them; the pool has replaced them already. */
  readonly onIdleError?: (cause: Error) => void;
};

/**
 * A pool that outlives restarts of its server: connections that break are dropped, the next query opens a new one.
 * int8 and numeric arrive as strings, as pg gives them: a 64-bit id does not fit a number. Callers that know their
 * counts are small convert them where they read them.
 */
export const createPool = (options: PoolOptions): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
  });
  // Without a listener Node ends the process on the first of these.
  pool.on('error', (cause) => options.onIdleError?.(cause));
  // A checked-out client between two queries is nobody's to listen to; its next query fails and tells the caller.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
};
