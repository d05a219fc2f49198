import type { DescField, DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf';
import { fitsQuery } from '../json/bindings.ts';
import type { JsonRoute } from '../json/json-route.ts';
import { accessWords, problemAnswers, securityOf, summaryOf } from './answers.ts';
import type { Media, Operation, Parameter } from './open-api.ts';
import { sampleOf } from './sample.ts';
import type { Schemas } from './schemas.ts';

/** A call that a reader can repeat. */
export type Example = {
  /** The role that makes the call. */
  readonly as?: string;
  readonly request: JsonObject;
  /** Of a stream: one line of it. */
  readonly answer: JsonValue;
};

const example = (value: JsonValue | undefined) => (value === undefined ? {} : { example: value });

/** The fields that a query may have: those of messages by dots. */
const queryOf = (
  schemas: Schemas,
  type: DescMessage,
  skipped: readonly DescField[],
  request: JsonObject,
  prefix = '',
): readonly Parameter[] =>
  type.fields
    .filter((field) => !skipped.includes(field) && fitsQuery(field))
    .flatMap((field): readonly Parameter[] => {
      const given = request[field.jsonName];
      const name = `${prefix}${field.jsonName}`;
      const isMessage =
        field.fieldKind === 'message' && !field.message.typeName.startsWith('google.protobuf.');
      if (isMessage) return queryOf(schemas, field.message, [], (given ?? {}) as JsonObject, `${name}.`);
      return [
        { name, in: 'query', ...schemas.fieldWords(field), schema: schemas.field(field), ...example(given) },
      ];
    });

const HEADERS = {
  commandId: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The id of the command, like `commandId`.',
    schema: { type: 'string' },
  },
  expectedVersion: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version that the caller has seen, like `expectedVersion`.',
    schema: { type: 'string' },
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An ETag. If it is still the newest, the answer is 304 without a body.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Parameter>;
const ETAG = {
  ETag: { description: 'The version of what is answered.', schema: { type: 'string' } },
} as const;

const parametersOf = (schemas: Schemas, route: JsonRoute, request: JsonObject): readonly Parameter[] => {
  const { binding, fields, hasVersion } = route;
  const inPath = binding.inPath.map((field): Parameter => ({
    name: field.name,
    in: 'path',
    required: true,
    ...schemas.fieldWords(field),
    schema: schemas.field(field),
    ...example(request[field.jsonName]),
  }));
  const inQuery =
    binding.body === '*'
      ? []
      : queryOf(
          schemas,
          binding.method.input,
          [...binding.inPath, ...(binding.body ? [binding.body] : [])],
          request,
        );
  return [
    ...inPath,
    ...inQuery,
    ...(fields.commandId ? [HEADERS.commandId] : []),
    ...(fields.expectedVersion ? [HEADERS.expectedVersion] : []),
    ...(hasVersion && binding.verb === 'GET' ? [HEADERS.ifNoneMatch] : []),
  ];
};

const bodyOf = (schemas: Schemas, { binding }: JsonRoute, request: JsonObject): Media | undefined => {
  if (binding.body === undefined) return undefined;
  const { input } = binding.method;
  if (binding.body !== '*')
    return {
      'application/json': {
        schema: schemas.field(binding.body),
        ...example(request[binding.body.jsonName]),
      },
    };
  const inPath = new Set(binding.inPath.map(({ jsonName }) => jsonName));
  const rest = Object.fromEntries(Object.entries(request).filter(([name]) => !inPath.has(name)));
  return { 'application/json': { schema: schemas.of(input), example: rest } };
};

/** A route of a contract as an operation. `ordinal` counts the routes of one method. */
export const contractOperation = (
  schemas: Schemas,
  route: JsonRoute,
  given: Example | undefined,
  ordinal: number,
): Operation => {
  const { method } = route.binding;
  const { served, binding } = route;
  const { request, answer } = given ?? { request: sampleOf(method.input), answer: sampleOf(method.output) };
  const name = `${method.parent.typeName}.${method.name}`;
  const words = schemas.words(name).description;
  const body = bodyOf(schemas, route, request);
  const parameters = parametersOf(schemas, route, request);
  return {
    operationId: `${method.parent.name}_${method.name}${ordinal === 0 ? '' : `_${ordinal + 1}`}`,
    tags: [method.parent.name],
    summary: words === undefined ? method.name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ') : summaryOf(words),
    description: [words, accessWords(served.access)].filter((one) => one !== undefined).join('\n\n'),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: false, content: body } }),
    responses: {
      200: {
        description: served.isStream
          ? 'One message a line. An error after the first line is the last line: `{"error": …}`.'
          : 'The answer.',
        ...(route.hasVersion ? { headers: ETAG } : {}),
        content: {
          [served.isStream ? 'application/x-ndjson' : 'application/json']: {
            schema: schemas.of(method.output),
            example: answer,
          },
        },
      },
      ...problemAnswers({
        access: served.access,
        errors: served.errors,
        takesBody: binding.body !== undefined,
        isConditional: route.fields.expectedVersion !== undefined,
      }),
    },
    security: securityOf(served.access),
  };
};
