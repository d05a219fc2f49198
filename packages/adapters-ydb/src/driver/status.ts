import type { StatusCode } from 'ydb-sdk';
import { LoginFailed } from './login/login-failed.ts';
import { sdk } from './sdk.ts';

const { StatusCode: S, YdbError } = sdk;

/**
 * Failures that ydb-sdk reports as gRPC errors. UNKNOWN, ABORTED, INTERNAL and DATA_LOSS come from a stream that was reset
 * or from a proxy: the call may have been executed, as after a broken connection.
 */
const GRPC: Readonly<Record<number, StatusCode>> = {
  1: S.CLIENT_CANCELED,
  2: S.TRANSPORT_UNAVAILABLE,
  4: S.CLIENT_DEADLINE_EXCEEDED,
  8: S.CLIENT_RESOURCE_EXHAUSTED,
  10: S.TRANSPORT_UNAVAILABLE,
  13: S.TRANSPORT_UNAVAILABLE,
  14: S.TRANSPORT_UNAVAILABLE,
  15: S.TRANSPORT_UNAVAILABLE,
  16: S.UNAUTHORIZED,
};
/** Where ydb-sdk retries, it replaces a gRPC error that it does not know by this text. */
const UNKNOWN_TO_SDK = /^Unexpected transport error code (\d+)!/;
const grpcCodeOf = (cause: unknown): number | undefined => {
  if (!(cause instanceof Error)) return undefined;
  if ('code' in cause && typeof cause.code === 'number') return cause.code;
  const code = UNKNOWN_TO_SDK.exec(cause.message)?.[1];
  return code === undefined ? undefined : Number(code);
};
/** No answer in time; the outcome is unknown. */
export class CallTimedOut extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}
/** All sessions were busy for too long; nothing was sent. */
export class NoSession extends Error {}

/** Undefined: not an error of the database but a bug in this code. */
export const statusOf = (cause: unknown): StatusCode | undefined => {
  if (cause instanceof CallTimedOut) return S.CLIENT_DEADLINE_EXCEEDED;
  if (cause instanceof NoSession || cause instanceof LoginFailed) return S.SESSION_POOL_EMPTY;
  if (cause instanceof YdbError) return (cause.constructor as typeof YdbError).status;
  const code = grpcCodeOf(cause);
  return code === undefined ? undefined : GRPC[code];
};

/** Nothing was committed: a lost race, or a session or transaction that no longer exists. */
const FAST: ReadonlySet<StatusCode> = new Set([S.ABORTED, S.BAD_SESSION, S.SESSION_BUSY, S.NOT_FOUND]);
/** Nothing was committed, and the next attempt should wait longer. */
const SLOW: ReadonlySet<StatusCode> = new Set([S.OVERLOADED, S.SESSION_POOL_EMPTY]);
/** Unknown whether it was committed. An answer that is too large for the client comes after the commit. */
const UNSURE: ReadonlySet<StatusCode> = new Set([
  S.SESSION_EXPIRED,
  S.CLIENT_RESOURCE_EXHAUSTED,
  S.UNAVAILABLE,
  S.UNDETERMINED,
  S.TIMEOUT,
  S.CANCELLED,
  S.TRANSPORT_UNAVAILABLE,
  S.CLIENT_CANCELED,
  S.CLIENT_DEADLINE_EXCEEDED,
]);
/** Not to be repeated at once, but not about the data of the call either: an operator or the server can repair it. */
const REPAIRABLE: ReadonlySet<StatusCode> = new Set([S.UNAUTHORIZED, S.SCHEME_ERROR, S.INTERNAL_ERROR]);
export const mayPass = (cause: unknown): boolean => {
  const status = statusOf(cause);
  return status !== undefined && REPAIRABLE.has(status);
};
export type Verdict = 'fast' | 'slow' | 'unsure' | 'final';
export const verdictOf = (cause: unknown): Verdict => {
  const status = statusOf(cause);
  if (status === undefined) return 'final';
  return FAST.has(status) ? 'fast' : SLOW.has(status) ? 'slow' : UNSURE.has(status) ? 'unsure' : 'final';
};
/** The next attempt should wait longer. */
export const isOverload = (cause: unknown): boolean =>
  verdictOf(cause) === 'slow' || statusOf(cause) === S.CLIENT_RESOURCE_EXHAUSTED;
/** The session may still run the call that was given up, or its node may be down. */
export const spoilsSession = (cause: unknown): boolean => verdictOf(cause) === 'unsure';
/** The server does not accept the token. */
export const isRefusedToken = (cause: unknown): boolean => statusOf(cause) === S.UNAUTHORIZED;
