import { status, type ServiceError } from '@grpc/grpc-js';
import {
  unavailable,
  type InvalidInput,
  type NotAdmitted,
  type RoleName,
  type Unavailable,
} from '@doska/core/kernel';
import type { StatusName } from '@doska/adapters-rpc';
import { decodeDetails } from './rpc-details.ts';

/** The server refused for a reason of its own domain: `reason` is the kind of its error. */
export type Rejected = {
  readonly kind: 'Rejected';
  readonly reason: string;
  readonly code: StatusName;
  readonly message: string;
};
export type RpcError = Unavailable | InvalidInput | NotAdmitted | Rejected;

/** Answers after which the same call may succeed; the outcome of the first is unknown, as with every `Unavailable`. */
const RETRYABLE = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED]);
const OURS = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.CANCELLED,
  status.INTERNAL,
  status.UNKNOWN,
]);

const nameOf = (code: status): StatusName => (status[code] as StatusName | undefined) ?? 'UNKNOWN';

/** The typed error that the server meant; what only the transport knows is `Unavailable`. */
export const errorOf = (path: string, error: ServiceError): RpcError => {
  const [bytes] = error.metadata?.get('grpc-status-details-bin') ?? [];
  const details = bytes instanceof Uint8Array ? decodeDetails(bytes) : undefined;
  const { code } = error;
  if (code === status.INVALID_ARGUMENT && details?.violations) {
    return { kind: 'InvalidInput', violations: details.violations };
  }
  if (code === status.UNAUTHENTICATED) return { kind: 'Unauthenticated', reason: error.details };
  if (code === status.PERMISSION_DENIED && details?.reason === 'PermissionDenied') {
    const needs = error.details.replace(/^.*: /, '').split(', ') as RoleName[];
    return { kind: 'PermissionDenied', needs };
  }
  if (code === status.RESOURCE_EXHAUSTED && details?.retryAfterMs !== undefined) {
    return { kind: 'TooManyRequests', retryAfterMs: details.retryAfterMs };
  }
  if (
    OURS.has(error.code) &&
    (details?.reason === undefined || details.reason === 'Unavailable' || details.reason === 'Internal')
  ) {
    return unavailable(`${path}: ${nameOf(error.code)}`, error, RETRYABLE.has(error.code));
  }
  const reason = details?.reason ?? nameOf(error.code);
  return { kind: 'Rejected', reason, code: nameOf(error.code), message: error.details };
};
