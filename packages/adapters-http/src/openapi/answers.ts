import type { ErrorTable, FailureStatus } from '@doska/adapters-rpc';
import type { Access } from '@doska/core/kernel';
import { HTTP_STATUS } from '../http-status.ts';
import { BODY_STATUS } from '../json/read-body.ts';
import type { Answer, Operation, Schema } from './open-api.ts';

const text: Schema = { type: 'string' };
export const problemSchema: Schema = {
  type: 'object',
  description: 'Why a request was not answered (RFC 9457). Programs branch on `kind`.',
  required: ['type', 'title', 'status', 'kind', 'requestId'],
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    kind: text,
    detail: text,
    violations: {
      type: 'array',
      description: 'Every place of the request that is wrong.',
      items: {
        type: 'object',
        required: ['path', 'code', 'message'],
        properties: { path: text, code: text, message: text },
      },
    },
    requestId: { type: 'string', description: 'Name it when you ask for help.' },
  },
};

type Kinds = Map<number, Set<string>>;
const add = (kinds: Kinds, status: number, kind: string): void =>
  void kinds.set(status, (kinds.get(status) ?? new Set()).add(kind));

export type Failing = {
  readonly access: Access;
  readonly errors?: ErrorTable;
  readonly takesBody?: boolean;
  readonly isConditional?: boolean;
};

/** The answers that are problems, by status, each with the kinds that it may have. */
export const problemAnswers = ({
  access,
  errors = {},
  takesBody = false,
  isConditional = false,
}: Failing): Record<string, Answer> => {
  const kinds: Kinds = new Map();
  const say = (status: FailureStatus, kind: string): void => {
    add(kinds, HTTP_STATUS[status], kind);
    if (isConditional && status === 'ABORTED') add(kinds, 412, kind);
  };
  say('INVALID_ARGUMENT', 'InvalidInput');
  if ('roles' in access) {
    say('UNAUTHENTICATED', 'Unauthenticated');
    say('PERMISSION_DENIED', 'PermissionDenied');
  } else say('RESOURCE_EXHAUSTED', 'TooManyRequests');
  say('RESOURCE_EXHAUSTED', 'Overloaded');
  say('INTERNAL', 'Internal');
  say('UNAVAILABLE', 'Unavailable');
  say('DEADLINE_EXCEEDED', 'DeadlineExceeded');
  for (const [kind, status] of Object.entries(errors)) if (!(kind in BODY_STATUS)) say(status, kind);
  if (takesBody) for (const [kind, status] of Object.entries(BODY_STATUS)) add(kinds, status, kind);
  return Object.fromEntries(
    [...kinds].map(([status, names]) => {
      const properties = { kind: { enum: [...names].sort() } };
      const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }], properties };
      return [
        String(status),
        {
          description: properties.kind.enum.join(', '),
          content: { 'application/problem+json': { schema } },
        },
      ];
    }),
  );
};

/** Each role alone is enough. */
export const securityOf = (access: Access): Operation['security'] =>
  'roles' in access ? access.roles.map((role) => ({ bearer: [role] })) : [];
export const accessWords = (access: Access): string => {
  if ('roles' in access) return `Access: ${access.roles.join(', ')}.`;
  const { ratePerMinute } = access.public;
  return Number.isFinite(ratePerMinute)
    ? `Access: everyone, ${ratePerMinute} requests a minute for an IP address.`
    : 'Access: everyone.';
};

/** The first sentence, for lists. */
export const summaryOf = (words: string): string => {
  const [first = words] = words.split(/(?<=[.:;])\s/);
  return first.replace(/[.:;]$/, '');
};
