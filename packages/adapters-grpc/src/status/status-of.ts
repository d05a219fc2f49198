import { Metadata, status } from '@grpc/grpc-js';
import type { InvalidInput, NotAdmitted, Unavailable } from '@doska/core/kernel';
import type { DomainError } from '../service-definition.ts';
import { encodeDetails, type RpcDetails } from './rpc-details.ts';

export type StatusName = keyof typeof status;
/** The status of every kind of error a service's handlers may return, besides the kernel's own kinds. */
export type ErrorTable = Readonly<Record<string, StatusName>>;

/** The kinds that every service shares. */
export type KernelError =
  Unavailable | InvalidInput | NotAdmitted | { readonly kind: 'Malformed'; readonly what: string };
export type RpcStatus = { readonly code: status; readonly details: string; readonly metadata: Metadata };

/** How long a client should wait for what may come back by itself. */
const RETRY_AFTER_MS = 1_000;

const kernelDetails = (error: KernelError): Omit<RpcDetails, 'reason'> => {
  switch (error.kind) {
    case 'InvalidInput': {
      const message = error.violations.map(({ path, message }) => `${path}: ${message}`).join('; ');
      return {
        code: status.INVALID_ARGUMENT,
        message: message.slice(0, 1_000),
        violations: error.violations,
      };
    }
    case 'Malformed':
      return { code: status.INVALID_ARGUMENT, message: `malformed ${error.what}` };
    case 'Unauthenticated':
      return { code: status.UNAUTHENTICATED, message: error.reason };
    case 'PermissionDenied':
      return { code: status.PERMISSION_DENIED, message: `needs one of: ${error.needs.join(', ')}` };
    case 'TooManyRequests':
      return {
        code: status.RESOURCE_EXHAUSTED,
        message: 'too many requests',
        retryAfterMs: error.retryAfterMs,
      };
    case 'Unavailable':
      // `what` and `cause` are ours: they are in the log under the request's id.
      return error.retryable
        ? { code: status.UNAVAILABLE, message: 'unavailable, try again', retryAfterMs: RETRY_AFTER_MS }
        : { code: status.INTERNAL, message: 'unavailable' };
  }
};

const KERNEL_KINDS = {
  InvalidInput: true,
  Malformed: true,
  Unauthenticated: true,
  PermissionDenied: true,
  TooManyRequests: true,
  Unavailable: true,
} as const satisfies Record<KernelError['kind'], true>;
const isKernelError = (error: DomainError): error is KernelError => Object.hasOwn(KERNEL_KINDS, error.kind);

export const rpcStatus = (details: RpcDetails): RpcStatus => {
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from(encodeDetails(details)));
  return { code: details.code, details: details.message, metadata };
};

/** An error that has words for its caller says them; otherwise its kind must do. */
const wordsOf = (error: DomainError): string =>
  'message' in error && typeof error.message === 'string' ? error.message.slice(0, 1_000) : error.kind;

/** Undefined for a kind that neither the kernel nor the service's table knows: that is a bug of the service. */
export const statusOf = (error: DomainError, table: ErrorTable): RpcStatus | undefined => {
  const named = Object.hasOwn(table, error.kind) ? table[error.kind] : undefined;
  if (named !== undefined)
    return rpcStatus({ code: status[named], message: wordsOf(error), reason: error.kind });
  return isKernelError(error) ? rpcStatus({ ...kernelDetails(error), reason: error.kind }) : undefined;
};
