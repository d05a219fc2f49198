import { nameOf } from '../json/bindings.ts';
import type { JsonRoute } from '../json/json-route.ts';
import { problemSchema } from './answers.ts';
import { contractOperation, type Example } from './contract-operation.ts';
import type { OpenApiDocument, Operation } from './open-api.ts';
import { Schemas, typesWithin, type Comments } from './schemas.ts';
import { openApiPath, writtenOperation, type WrittenRoute } from './written-operation.ts';

/** What the document says besides what the routes know. */
export type DocumentTexts = {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly comments: Comments;
  /** By the full name of the method, as `package.Service/Method`. */
  readonly examples: Readonly<Record<string, Example>>;
};

type Paths = Record<string, Record<string, Operation>>;
const put = (paths: Paths, path: string, verb: string, operation: Operation): void => {
  (paths[path] ??= {})[verb.toLowerCase()] = operation;
};

/** One OpenAPI 3.1 document of everything that is served over HTTP. Routes without `docs` are not in it. */
export const openApiDocument = (
  { title, version, description, comments, examples }: DocumentTexts,
  json: readonly JsonRoute[],
  written: readonly WrittenRoute[],
): OpenApiDocument => {
  const schemas = new Schemas(comments, typesWithin(json.map(({ binding }) => binding.method.input)));
  const paths: Paths = {};
  const count = new Map<string, number>();
  for (const route of json) {
    const { method, template, verb } = route.binding;
    const name = nameOf(method);
    const ordinal = count.get(name) ?? 0;
    count.set(name, ordinal + 1);
    put(paths, template.text, verb, contractOperation(schemas, route, examples[name], ordinal));
  }
  for (const route of written)
    if (route.docs) put(paths, openApiPath(route.path), route.method, writtenOperation(route, route.docs));
  const services = new Map(json.map(({ binding }) => [binding.method.parent.name, binding.method.parent]));
  const tags = new Set(written.flatMap(({ docs }) => (docs ? [docs.tag] : [])));
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [
      ...[...services].map(([name, { typeName }]) => ({ name, ...schemas.words(typeName) })),
      ...[...tags].filter((name) => !services.has(name)).map((name) => ({ name })),
    ],
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A token of Doska. An operation names the roles; each of them alone is enough.',
        },
      },
      schemas: {
        Problem: problemSchema,
        ...Object.fromEntries(Object.entries(schemas.made).sort(([a], [b]) => (a < b ? -1 : 1))),
      },
    },
  };
};
