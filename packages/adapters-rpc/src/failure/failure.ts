import type { InvalidInput, NotAdmitted, Unavailable, Violation } from '@doska/core/kernel';
import type { DomainError } from '../registration/service-definition.ts';
import type { ErrorTable, FailureStatus } from './status.ts';

/** Why a call was not answered, as its caller is told. */
export type Failure = {
  readonly status: FailureStatus;
  readonly message: string;
  /** The kind of the error. Programs branch on it. */
  readonly reason?: string;
  readonly violations?: readonly Violation[];
  /** Where waiting helps. */
  readonly retryAfterMs?: number;
};

/** The kinds that every service shares. */
export type KernelError =
  Unavailable | InvalidInput | NotAdmitted | { readonly kind: 'Malformed'; readonly what: string };

/** More violations than this are not told in words; the message is cut sooner. */
const WORDS_MAX = 100;
/** How long a client should wait for what may come back by itself. */
export const RETRY_AFTER_MS = 1_000;

const kernelFailure = (error: KernelError): Omit<Failure, 'reason'> => {
  switch (error.kind) {
    case 'InvalidInput': {
      const first = error.violations.slice(0, WORDS_MAX);
      const message = first.map(({ path, message }) => `${path}: ${message}`).join('; ');
      return { status: 'INVALID_ARGUMENT', message, violations: error.violations };
    }
    case 'Malformed':
      return { status: 'INVALID_ARGUMENT', message: `malformed ${error.what}` };
    case 'Unauthenticated':
      return { status: 'UNAUTHENTICATED', message: error.reason };
    case 'PermissionDenied':
      return { status: 'PERMISSION_DENIED', message: `needs one of: ${error.needs.join(', ')}` };
    case 'TooManyRequests':
      return {
        status: 'RESOURCE_EXHAUSTED',
        message: 'too many requests',
        retryAfterMs: error.retryAfterMs,
      };
    case 'Unavailable':
      // `what` and `cause` are ours: they are in the log under the request's id.
      return error.retryable
        ? { status: 'UNAVAILABLE', message: 'unavailable, try again', retryAfterMs: RETRY_AFTER_MS }
        : { status: 'INTERNAL', message: 'unavailable' };
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

/** An error that has words for its caller says them; otherwise its kind must do. */
const wordsOf = (error: DomainError): string =>
  'message' in error && typeof error.message === 'string' ? error.message : error.kind;

/** Undefined for a kind that neither the kernel nor the service's table knows: that is a bug of the service. */
export const failureOf = (error: DomainError, table: ErrorTable): Failure | undefined => {
  const named = Object.hasOwn(table, error.kind) ? table[error.kind] : undefined;
  if (named !== undefined) return { status: named, message: wordsOf(error), reason: error.kind };
  return isKernelError(error) ? { ...kernelFailure(error), reason: error.kind } : undefined;
};

export const internalFailure = (requestId: string): Failure => ({
  status: 'INTERNAL',
  message: `internal error, request ${requestId}`,
  reason: 'Internal',
});
export const overloaded = (what: string): Failure => ({
  status: 'RESOURCE_EXHAUSTED',
  message: `too many ${what} at once`,
  reason: 'Overloaded',
  retryAfterMs: RETRY_AFTER_MS,
});
