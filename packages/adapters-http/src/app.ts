import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { parserProblem, problem, problemOf } from './problem.ts';
import type { HttpMount, HttpRoute } from './route.ts';
import { admit, routeHandler, seenOf, type RouteKit } from './run-route.ts';
import { sendProblem } from './seen.ts';

/** Pages may load scripts and styles only from this server. */
const PAGE_POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'";

const guarded =
  (kit: RouteKit, { path, access }: HttpMount): RequestHandler =>
  async (request, response, next) => {
    const seen = seenOf(response);
    const caller = await admit(kit, request, seen, `${path}/*`, access);
    response.setHeader('content-security-policy', PAGE_POLICY);
    if (caller.isOk()) return next();
    sendProblem(response, seen, problemOf(caller.error) ?? problem(403, 'PermissionDenied'));
  };

/** The path is known, but not with this method. `OPTIONS` asks which there are. */
const wrongMethod =
  (methods: readonly string[]): RequestHandler =>
  (request, response) => {
    const seen = seenOf(response);
    const allow = [...new Set([...methods, ...seen.allowed, 'OPTIONS'])].join(', ');
    if (request.method === 'OPTIONS') return void response.writeHead(204, { allow }).end();
    sendProblem(response, seen, problem(405, 'MethodNotAllowed', {}, { allow }));
  };

const notFound: RequestHandler = (request, response, next) => {
  const seen = seenOf(response);
  if (seen.allowed.length > 0) return wrongMethod([])(request, response, next);
  sendProblem(response, seen, problem(404, 'NotFound'));
};

const failed: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const seen = seenOf(response);
  const known = parserProblem(error);
  if (!known) seen.failure = { level: 'error', error };
  sendProblem(response, seen, known ?? problem(500, 'Internal'));
};

/** The Express half of the kit: only what was declared is there, everything else is a problem. */
export const expressApp = (
  kit: RouteKit,
  routes: readonly HttpRoute[],
  mounts: readonly HttpMount[],
): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  const methodsOf = new Map<string, string[]>();
  for (const route of routes) {
    app[route.method.toLowerCase() as 'get'](route.path, routeHandler(kit, route));
    methodsOf.set(route.path, [...(methodsOf.get(route.path) ?? []), route.method]);
  }
  for (const [path, methods] of methodsOf)
    app.all(path, wrongMethod(methods.includes('GET') ? [...methods, 'HEAD'] : methods));
  for (const mount of mounts) app.use(mount.path, guarded(kit, mount), mount.router);
  app.use(notFound);
  app.use(failed);
  return app;
};
