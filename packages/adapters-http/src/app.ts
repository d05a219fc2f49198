import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { parserProblem, problem, problemOf } from './problem.ts';
import type { HttpMount, HttpRoute } from './route.ts';
import { admit, routeHandler, seenOf, type RouteKit } from './run-route.ts';
import { sendProblem } from './seen.ts';

/** Pages bring scripts and styles of their own, and nobody else's. */
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

const wrongMethod =
  (allowed: readonly string[]): RequestHandler =>
  (_request, response) =>
    sendProblem(
      response,
      seenOf(response),
      problem(405, 'MethodNotAllowed', {}, { allow: allowed.join(', ') }),
    );

const notFound: RequestHandler = (_request, response) =>
  sendProblem(response, seenOf(response), problem(404, 'NotFound'));

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
  for (const [path, methods] of methodsOf) app.all(path, wrongMethod(methods));
  for (const mount of mounts) app.use(mount.path, guarded(kit, mount), mount.router);
  app.use(notFound);
  app.use(failed);
  return app;
};
