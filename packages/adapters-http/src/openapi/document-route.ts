import { createHash } from 'node:crypto';
import type { Access } from '@doska/core/kernel';
import { ok } from 'neverthrow';
import { isKnownTag } from '../json/conditions.ts';
import type { HttpRoute } from '../route.ts';
import type { OpenApiDocument } from './open-api.ts';

/** `GET /openapi.json`. The document is made at the first request and kept. */
export const documentRoute = (access: Access, make: () => OpenApiDocument): HttpRoute => {
  let made: { readonly content: string; readonly etag: string } | undefined;
  const document = () => {
    if (made) return made;
    const content = JSON.stringify(make());
    return (made = { content, etag: `"${createHash('sha256').update(content).digest('base64url')}"` });
  };
  return {
    method: 'GET',
    path: '/openapi.json',
    access,
    docs: {
      id: 'getOpenApi',
      tag: 'Platform',
      summary: 'This document',
      answers: {
        200: {
          description: 'OpenAPI 3.1.',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
      },
    },
    handle: async ({ headers }) => {
      const { content, etag } = document();
      const kept = { etag, 'cache-control': 'public, max-age=60' };
      return isKnownTag(headers['if-none-match'], etag)
        ? ok({ status: 304, headers: kept })
        : ok({ status: 200, headers: kept, contentType: 'application/json; charset=utf-8', content });
    },
  };
};
