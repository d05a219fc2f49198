import type { ErrorTable } from '@doska/adapters-rpc';
import type { Access } from '@doska/core/kernel';
import { accessWords, problemAnswers, securityOf } from './answers.ts';
import type { Answer, Media, Operation, Parameter } from './open-api.ts';

/** What a hand-written route says of itself, beside its handler. */
export type RouteDocs = {
  /** Unique among all routes. Generated clients use it as a name. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Parameters of the path must be named; each has an example that works on a fresh platform or is not found. */
  readonly parameters?: readonly Omit<Parameter, 'required'>[];
  readonly body?: Media;
  /** Answers besides problems, by status. */
  readonly answers: Readonly<Record<number, Answer>>;
};
export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
/** A route that is written by hand, not read from a contract. */
export type WrittenRoute = {
  readonly method: HttpMethod;
  /** As Express writes it: `/drafts/:id`. */
  readonly path: string;
  readonly access: Access;
  /** The status of each kind of error of its own, besides the kernel's kinds. */
  readonly errors?: ErrorTable;
  /** For the OpenAPI document. Every route of an app has them. */
  readonly docs?: RouteDocs;
};

/** `/photos/:image` as `/photos/{image}`. */
export const openApiPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

export const writtenOperation = ({ access, errors = {} }: WrittenRoute, docs: RouteDocs): Operation => ({
  operationId: docs.id,
  tags: [docs.tag],
  summary: docs.summary,
  description: [docs.description, accessWords(access)].filter((one) => one !== undefined).join('\n\n'),
  ...(docs.parameters
    ? {
        parameters: docs.parameters.map((one): Parameter => ({ ...one, required: one.in === 'path' })),
      }
    : {}),
  ...(docs.body ? { requestBody: { required: true, content: docs.body } } : {}),
  responses: {
    ...problemAnswers({ access, errors, takesBody: docs.body !== undefined }),
    ...docs.answers,
  },
  security: securityOf(access),
});
