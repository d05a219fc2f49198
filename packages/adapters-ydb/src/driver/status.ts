import type { StatusCode } from 'ydb-sdk';
import { sdk } from './sdk.ts';

const { StatusCode: S, YdbError } = sdk;

/** Calls that ydb-sdk lets fail as gRPC does. */
const GRPC: Readonly<Record<number, StatusCode>> = {
  1: S.CLIENT_CANCELED,
  4: S.CLIENT_DEADLINE_EXCEEDED,
  8: S.CLIENT_RESOURCE_EXHAUSTED,
  14: S.TRANSPORT_UNAVAILABLE,
};
/** Nobody answered in time; what the server made of it is unknown. */
export class CallTimedOut extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}
/** All sessions were busy for too long; nothing was sent. */
export class NoSession extends Error {}

/** Undefined: not the database's word, but a bug of ours. */
export const statusOf = (cause: unknown): StatusCode | undefined => {
  if (cause instanceof CallTimedOut) return S.CLIENT_DEADLINE_EXCEEDED;
  if (cause instanceof NoSession) return S.SESSION_POOL_EMPTY;
  if (cause instanceof YdbError) return (cause.constructor as typeof YdbError).status;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'number' ? GRPC[code] : undefined;
};

/** Surely nothing was committed: a lost race, or a session or transaction that is gone. */
const FAST: ReadonlySet<StatusCode> = new Set([
  S.ABORTED,
  S.BAD_SESSION,
  S.SESSION_BUSY,
  S.SESSION_EXPIRED,
  S.NOT_FOUND,
]);
/** Nothing was committed, and the server wants to be left in peace for a while. */
const SLOW: ReadonlySet<StatusCode> = new Set([
  S.OVERLOADED,
  S.CLIENT_RESOURCE_EXHAUSTED,
  S.SESSION_POOL_EMPTY,
]);
/** Whether it was committed nobody knows. */
const UNSURE: ReadonlySet<StatusCode> = new Set([
  ...[S.UNAVAILABLE, S.UNDETERMINED, S.TIMEOUT, S.CANCELLED],
  ...[S.TRANSPORT_UNAVAILABLE, S.CLIENT_CANCELED, S.CLIENT_DEADLINE_EXCEEDED],
]);
export type Verdict = 'fast' | 'slow' | 'unsure' | 'final';
export const verdictOf = (cause: unknown): Verdict => {
  const status = statusOf(cause);
  if (status === undefined) return 'final';
  return FAST.has(status) ? 'fast' : SLOW.has(status) ? 'slow' : UNSURE.has(status) ? 'unsure' : 'final';
};
/** The session may still be busy with what was given up, or its node may be gone. */
export const spoilsSession = (cause: unknown): boolean =>
  verdictOf(cause) === 'unsure' || statusOf(cause) === S.SESSION_EXPIRED;
