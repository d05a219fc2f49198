import { STATUS_CODES } from 'node:http';
import { failureOf, type DomainError, type ErrorTable, type Failure } from '@doska/adapters-rpc';
import type { Violation } from '@doska/core/kernel';
import { HTTP_STATUS } from './http-status.ts';

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

/** `DEADLINE_EXCEEDED` as `DeadlineExceeded`. */
const kindOf = (status: Failure['status']): string =>
  status.toLowerCase().replace(/(^|_)(.)/g, (_, _before, letter: string) => letter.toUpperCase());
const headersOf = ({ status, retryAfterMs }: Failure): Record<string, string> => {
  const headers: Record<string, string> = {};
  if (status === 'UNAUTHENTICATED') headers['www-authenticate'] = 'Bearer';
  if (retryAfterMs !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterMs / 1_000)));
  return headers;
};

/** What gRPC would say in a status with details. Violations are told one by one, so they need no words besides. */
export const problemOfFailure = (
  failure: Failure,
  status: number = HTTP_STATUS[failure.status],
): ProblemReply => {
  const { reason = kindOf(failure.status), violations, message } = failure;
  return problem(status, reason, violations ? { violations } : { detail: message }, headersOf(failure));
};

/** Undefined for a kind that neither the kernel nor the route's table knows: that is a bug of the route. */
export const problemOf = (error: DomainError, table: ErrorTable = {}): ProblemReply | undefined => {
  const failure = failureOf(error, table);
  return failure && problemOfFailure(failure);
};

/** What Express and its body parser throw at us. */
export const parserProblem = (cause: unknown): ProblemReply | undefined => {
  const { type, status } = (cause ?? {}) as { readonly type?: unknown; readonly status?: unknown };
  if (type === 'entity.too.large') return problem(413, 'BodyTooLarge');
  if (type === 'entity.parse.failed') return problem(400, 'Malformed', { detail: 'the body is not JSON' });
  if (typeof status === 'number' && status >= 400 && status < 500) return problem(status, 'BadRequest');
  return undefined;
};
