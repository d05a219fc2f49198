import { ResultAsync } from 'neverthrow';
import { unavailable, type Unavailable } from '@doska/core/kernel';

/**
 * SQLSTATEs that are about the call itself, so the same call fails again: cardinality, data exception, integrity constraint,
 * program limit, a transaction of the wrong kind (25001), and a wrong statement (42601). All others may pass: a lost race, a
 * restart, a full disk, a read-only server, or a schema and rights that an operator repairs.
 */
const LASTING = /^(21|22|23|54|25001|42601)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Errors of the connection, after which the same call may succeed. */
const RETRYABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** pg reports some lost connections without a code. */
const LOST =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

export const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';

export const isRetryable = (cause: unknown): boolean => {
  const code = codeOf(cause);
  if (RETRYABLE.has(code)) return true;
  if (SQLSTATE.test(code)) return !LASTING.test(code);
  return cause instanceof Error && LOST.test(cause.message);
};

/** The only place in this package where a thrown driver error becomes a value. Catches synchronous throws too. */
export const guard = <T>(what: string, work: () => Promise<T>): ResultAsync<T, Unavailable> =>
  ResultAsync.fromThrowable(work, (cause): Unavailable => unavailable(what, cause, isRetryable(cause)))();
