import { ResultAsync } from 'neverthrow';
import { unavailable, type Unavailable } from '@doska/core/kernel';

/** What may succeed when it is simply tried again: lost races, restarts, lost connections, too many clients. */
const RETRYABLE = new Set([
  ...['40001', '40P01', '55P03', '57014'], // serialization, deadlock, lock not available, statement timeout
  ...['57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08004', '08006'], // restarts and connections
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** pg reports some lost connections without a code. */
const LOST =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

export const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';

export const isRetryable = (cause: unknown): boolean =>
  RETRYABLE.has(codeOf(cause)) || (cause instanceof Error && LOST.test(cause.message));

/** The only place in this package where a thrown driver error becomes a value. Catches synchronous throws too. */
export const guard = <T>(what: string, work: () => Promise<T>): ResultAsync<T, Unavailable> =>
  ResultAsync.fromThrowable(work, (cause): Unavailable => unavailable(what, cause, isRetryable(cause)))();
