import { STATUS_CODES } from 'node:http';
import type { InvalidInput, NotAdmitted, Unavailable, Violation } from '@doska/core/kernel';
import type { DomainError, ErrorTable } from './route.ts';

/** RFC 9457. `kind` is what programs branch on. */
export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly kind: string;
  readonly detail?: string;
  readonly violations?: readonly Violation[];
  readonly requestId: string;
};
export type ProblemReply = {
  readonly problem: Omit<Problem, 'requestId'>;
  readonly headers: Readonly<Record<string, string>>;
};
type KernelError =
  Unavailable | InvalidInput | NotAdmitted | { readonly kind: 'Malformed'; readonly what: string };

export const problem = (
  status: number,
  kind: string,
  extra: { readonly detail?: string; readonly violations?: readonly Violation[] } = {},
  headers: Readonly<Record<string, string>> = {},
): ProblemReply => ({
  problem: {
    type: `urn:doska:problem:${kind}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    kind,
    ...extra,
  },
  headers,
});

const retryAfter = (ms: number): Readonly<Record<string, string>> => ({
  'retry-after': String(Math.max(1, Math.ceil(ms / 1000))),
});

const kernelProblem = (error: KernelError): ProblemReply => {
  switch (error.kind) {
    case 'InvalidInput':
      return problem(400, error.kind, { violations: error.violations });
    case 'Malformed':
      return problem(400, error.kind, { detail: `malformed ${error.what}` });
    case 'Unauthenticated':
      return problem(401, error.kind, { detail: error.reason }, { 'www-authenticate': 'Bearer' });
    case 'PermissionDenied':
      return problem(403, error.kind, { detail: `needs one of: ${error.needs.join(', ')}` });
    case 'TooManyRequests':
      return problem(429, error.kind, {}, retryAfter(error.retryAfterMs));
    case 'Unavailable':
      // `what` and `cause` are ours: they are in the log under the request's id.
      return error.retryable ? problem(503, error.kind, {}, retryAfter(1_000)) : problem(500, error.kind);
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

/** Undefined for a kind that neither the kernel nor the route's table knows: that is a bug of the route. */
export const problemOf = (error: DomainError, table: ErrorTable = {}): ProblemReply | undefined => {
  const status = Object.hasOwn(table, error.kind) ? table[error.kind] : undefined;
  if (status !== undefined) return problem(status, error.kind);
  return isKernelError(error) ? kernelProblem(error) : undefined;
};

/** What Express and its body parser throw at us. */
export const parserProblem = (cause: unknown): ProblemReply | undefined => {
  const { type, status } = (cause ?? {}) as { readonly type?: unknown; readonly status?: unknown };
  if (type === 'entity.too.large') return problem(413, 'BodyTooLarge');
  if (type === 'entity.parse.failed') return problem(400, 'Malformed', { detail: 'the body is not JSON' });
  if (typeof status === 'number' && status >= 400 && status < 500) return problem(status, 'BadRequest');
  return undefined;
};
