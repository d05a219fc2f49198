import type { IncomingMessage, ServerResponse } from 'node:http';

/** Which origins may call us from a page. */
export type Cors = { readonly allows: (origin: string) => boolean };

/** Undefined where no origin may: then no header is sent. */
export const corsOf = (origins: readonly string[]): Cors | undefined => {
  if (origins.length === 0) return undefined;
  const known = new Set(origins);
  return { allows: known.has('*') ? () => true : (origin) => known.has(origin) };
};

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, PUT, POST, PATCH, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, idempotency-key, if-match, if-none-match, traceparent, tracestate, x-request-id',
  'access-control-max-age': '600',
} as const;
const EXPOSED = 'allow, etag, retry-after, x-request-id';

/** Says who may read the answer. True: it was a question about a later request, and is answered. */
export const answerPreflight = (cors: Cors, request: IncomingMessage, response: ServerResponse): boolean => {
  const { origin, 'access-control-request-method': asked } = request.headers;
  response.setHeader('vary', 'origin');
  if (origin === undefined || !cors.allows(origin)) return false;
  response.setHeader('access-control-allow-origin', origin);
  if (request.method !== 'OPTIONS' || asked === undefined) {
    response.setHeader('access-control-expose-headers', EXPOSED);
    return false;
  }
  response.writeHead(204, PREFLIGHT).end();
  return true;
};
