import type { RouteDocs, WrittenRoute } from '@doska/adapters-http';
import type { Access } from '@doska/core/kernel';

const TAG = 'Snippets';
const text = { type: 'string' } as const;
const SNIPPET = {
  name: 'snippet',
  in: 'path',
  description: 'The absolute name of a section. Its slashes stand in the path as they are.',
  schema: text,
  example: 'rating',
} as const;
const KEY = {
  name: 'key',
  in: 'path',
  description:
    'What the snippet is about, for example the id of an offer. A read or a delete may add `/` and a language.',
  schema: text,
  example: 'offer-1',
} as const;
const LANGUAGE = {
  name: 'Content-Language',
  in: 'header',
  description: 'A BCP 47 tag.',
  schema: text,
} as const;
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  description: 'An ETag, or `*`: only over this version, or only if there is a snippet.',
  schema: text,
} as const;
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  description: '`*`: only if there is no snippet.',
  schema: text,
} as const;

const NOT_FOUND = { UnknownSection: 'NOT_FOUND', SnippetNotFound: 'NOT_FOUND' } as const;
const refusals: RouteDocs['answers'] = {
  409: { description: 'The group has no sections to work on.' },
  412: { description: 'The condition does not hold.' },
  413: { description: 'The content, or the write of a group, is too large.' },
  415: { description: 'The Content-Type is missing or not accepted.' },
  422: { description: 'A section refuses the content; `violations` and `verdicts` say why.' },
};
const written: RouteDocs['answers'] = {
  ...refusals,
  200: {
    description: 'The version, also as ETag, and what became of each section.',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { version: text, snippets: { type: 'object', additionalProperties: text } },
        },
        example: { version: '1700000000000-0', snippets: { rating: 'stored' } },
      },
    },
  },
};
const GET: RouteDocs = {
  id: 'getSnippet',
  tag: TAG,
  summary: 'Read a snippet, or the snippets of a group',
  description: 'The header `Doska-Base64` names the contents that stand in base64.',
  parameters: [
    SNIPPET,
    KEY,
    { name: 'min-version', in: 'query', description: '409 while no snippet has this version.', schema: text },
  ],
  answers: {
    304: { description: 'The client has these versions already.' },
    409: { description: 'No snippet has the version of `min-version` yet, or the group has no sections.' },
    200: {
      description: 'The contents by the absolute names of their sections.',
      content: {
        'application/json': {
          schema: { type: 'object', additionalProperties: true },
          example: { rating: { stars: 5 } },
        },
      },
    },
  },
};
const PUT: RouteDocs = {
  id: 'putSnippet',
  tag: TAG,
  summary: 'Store a snippet, or the snippets of a group',
  parameters: [SNIPPET, KEY, LANGUAGE, IF_MATCH, IF_NONE_MATCH],
  body: {
    'application/json': { schema: {}, example: { stars: 5 } },
    'application/x-protobuf': { schema: { type: 'string', format: 'binary' } },
  },
  answers: written,
};
const DELETE: RouteDocs = {
  id: 'deleteSnippet',
  tag: TAG,
  summary: 'Delete a snippet, or the snippets of a group',
  parameters: [SNIPPET, KEY, LANGUAGE, IF_MATCH],
  answers: written,
};
const BULK: RouteDocs = {
  id: 'bulkSnippets',
  tag: TAG,
  summary: 'Store and delete many snippets of a section',
  description:
    'One JSON object a line: `key`, perhaps `language`, and one of `json`, `text`, `base64` (with `type`) or `delete: true`; `ifMatch` and `ifNoneMatch` are conditions. The answer has one line for each, in order. What ends an upload early is the last line, `error`.',
  parameters: [SNIPPET],
  body: { 'application/x-ndjson': { schema: text, example: '{"key":"offer-1","json":{"stars":5}}' } },
  answers: {
    200: {
      description: 'One verdict a line.',
      content: {
        'application/x-ndjson': {
          schema: text,
          example:
            '{"line":1,"key":"offer-1","status":200,"version":"1700000000000-0","snippets":{"rating":"stored"}}',
        },
      },
    },
  },
};

/** What the snippet service says of its paths in the OpenAPI document. */
export const snippetOperations = (readers: Access, writers: Access, base = ''): readonly WrittenRoute[] => [
  { method: 'GET', path: `${base}/:snippet/:key`, access: readers, errors: NOT_FOUND, docs: GET },
  { method: 'PUT', path: `${base}/:snippet/:key`, access: writers, errors: NOT_FOUND, docs: PUT },
  { method: 'DELETE', path: `${base}/:snippet/:key`, access: writers, errors: NOT_FOUND, docs: DELETE },
  { method: 'POST', path: `${base}/:snippet`, access: writers, docs: BULK },
];
