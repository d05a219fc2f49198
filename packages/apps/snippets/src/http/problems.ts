import { STATUS_CODES } from 'node:http';
import type { NotAdmitted, Violation } from '@doska/core/kernel';
import {
  contentTypesOf,
  type DeleteError,
  type GetError,
  type LeafVerdict,
  type PutError,
} from '@doska/core/snippets';

export type NotYours = { readonly kind: 'NotYours'; readonly name: string };
export type HttpProblem =
  | { readonly kind: 'MethodNotAllowed' }
  | { readonly kind: 'Overloaded' }
  | { readonly kind: 'UnsupportedEncoding' };
export type SnippetError = PutError | DeleteError | GetError | NotAdmitted | NotYours | HttpProblem;

const STATUS = {
  UnknownSection: 404,
  SnippetNotFound: 404,
  NothingToDo: 409,
  VersionNotReached: 409,
  ConditionFailed: 412,
  TooLarge: 413,
  UnsupportedFormat: 415,
  UnsupportedEncoding: 415,
  Refused: 422,
  InvalidInput: 400,
  PartFailed: 500,
  Unavailable: 503,
  Unauthenticated: 401,
  PermissionDenied: 403,
  NotYours: 403,
  TooManyRequests: 429,
  Overloaded: 429,
  MethodNotAllowed: 405,
} as const satisfies Record<SnippetError['kind'], number>;

const wordsOf = (error: SnippetError): string | undefined => {
  switch (error.kind) {
    case 'UnknownSection':
      return `there is no snippet "${error.name}"`;
    case 'SnippetNotFound':
      return `"${error.name}" has no snippet with this key and language`;
    case 'NothingToDo':
      return `the group "${error.name}" has no sections to work on`;
    case 'VersionNotReached':
      return 'no snippet has this version yet';
    case 'ConditionFailed':
      return error.version ? 'the snippet has another version' : 'there is no such snippet';
    case 'TooLarge':
      return `${error.what} has more than ${error.bytesMax} bytes`;
    case 'UnsupportedFormat':
      return error.accepted.length === 0
        ? 'the sections of this group accept no format in common'
        : `Content-Type must be one of: ${error.accepted.flatMap(contentTypesOf).join(', ')}`;
    case 'UnsupportedEncoding':
      return 'Content-Encoding is not supported';
    case 'PartFailed':
      return 'a validator or convertor failed';
    case 'Unavailable':
      return error.retryable ? 'unavailable, try again' : 'unavailable';
    case 'Unauthenticated':
      return error.reason;
    case 'PermissionDenied':
      return `needs one of: ${error.needs.join(', ')}`;
    case 'NotYours':
      return `the token does not cover "${error.name}"`;
    case 'TooManyRequests':
    case 'Overloaded':
      return 'too many requests';
    case 'MethodNotAllowed':
      return 'GET, PUT or DELETE is expected, or POST of lines to the name of a section';
    case 'InvalidInput':
    case 'Refused':
      return undefined;
  }
};
const headersOf = (error: SnippetError): Record<string, string> => {
  const { kind } = error;
  if (kind === 'Unauthenticated') return { 'www-authenticate': 'Bearer' };
  if (kind === 'MethodNotAllowed') return { allow: 'GET, HEAD, PUT, DELETE' };
  if (kind === 'Unavailable' || kind === 'Overloaded') return { 'retry-after': '1' };
  return kind === 'TooManyRequests'
    ? { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000))) }
    : {};
};

/** A refusal of one snippet lists its violations; a refusal of a group says what each section said. */
const refusalOf = (verdicts: readonly LeafVerdict[]): Record<string, unknown> => ({
  violations: verdicts.flatMap(({ violations }) => violations),
  verdicts: Object.fromEntries(
    verdicts.map(({ name, violations }) => [
      name,
      violations.length > 0 ? { outcome: 'refused', violations } : { outcome: 'accepted' },
    ]),
  ),
});
const detailsOf = (error: SnippetError): Record<string, unknown> => {
  if (error.kind === 'InvalidInput') return { violations: error.violations satisfies readonly Violation[] };
  return error.kind === 'Refused' ? refusalOf(error.verdicts) : { detail: wordsOf(error) };
};

/** What an error is, for a line of a bulk upload. */
export const problemFields = (
  error: SnippetError,
): { readonly status: number; readonly kind: string; readonly [detail: string]: unknown } => ({
  status: error.kind === 'Unavailable' && !error.retryable ? 500 : STATUS[error.kind],
  kind: error.kind,
  ...detailsOf(error),
});

/** An error as an RFC 9457 problem. */
export const problemReply = (
  error: SnippetError,
  requestId: string,
): { readonly status: number; readonly headers: Record<string, string>; readonly body: string } => {
  const fields = problemFields(error);
  const { status } = fields;
  const problem = {
    type: `urn:doska:problem:${error.kind}`,
    title: STATUS_CODES[status],
    ...fields,
    requestId,
  };
  return {
    status,
    headers: { ...headersOf(error), 'content-type': 'application/problem+json' },
    body: JSON.stringify(problem),
  };
};
