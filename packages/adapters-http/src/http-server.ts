import { createServer, type IncomingMessage, type Server } from 'node:http';
import {
  defaultCallLimits,
  makeCallKit,
  overloaded,
  type CallKit,
  type CallKitOptions,
  type CallLimits,
  type RpcService,
} from '@doska/adapters-rpc';
import { sleep, type Access, type Clock, type Unavailable } from '@doska/core/kernel';
import type { Response } from 'express';
import { err, ResultAsync, type Result } from 'neverthrow';
import { expressApp } from './app.ts';
import { answerPreflight, corsOf } from './cors.ts';
import { hotKit, type HotRoute } from './hot-route.ts';
import { healthRoutes, type HealthOptions, type ReadinessCheck } from './health-routes.ts';
import { listen, type ListenOptions, type PortBusy } from './listen.ts';
import { jsonRoutes } from './json/json-route.ts';
import { makeRouter } from './json/router.ts';
import { serveJson } from './json/serve-json.ts';
import { openApiDocument, type DocumentTexts } from './openapi/document.ts';
import { documentRoute } from './openapi/document-route.ts';
import { problemOfFailure } from './problem.ts';
import { undeclared, type AccessUndeclared, type HttpMount, type HttpRoute } from './route.ts';
import { seeRequest, sendProblem, type SeenKit } from './seen.ts';

export type HttpLimits = CallLimits & {
  readonly bodyBytesMax: number;
  readonly keepAliveMs: number;
  readonly checkMsMax: number;
};
export const defaultHttpLimits: HttpLimits = {
  ...defaultCallLimits,
  bodyBytesMax: 1024 * 1024,
  keepAliveMs: 65_000,
  checkMsMax: 2_000,
};

export type HttpServerOptions = Omit<CallKitOptions, 'limits'> & {
  readonly listen: ListenOptions;
  readonly routes: readonly HttpRoute[];
  /** Services whose contracts have routes: they are served as JSON. */
  readonly json?: { readonly services: readonly RpcService[]; readonly descriptorSet: Uint8Array };
  /** Serves `/openapi.json`. */
  readonly openApi?: DocumentTexts & { readonly access: Access };
  /** Origins whose pages may call us, or `*` for all. None unless told. */
  readonly corsOrigins?: readonly string[];
  readonly mounts?: readonly HttpMount[];
  readonly readiness?: Readonly<Record<string, ReadinessCheck>>;
  readonly metrics?: NonNullable<HealthOptions['metrics']>;
  readonly limits?: Partial<HttpLimits>;
  /** What this server shares with others of its process. Without it, it has bounds and rate limits of its own. */
  readonly calls?: CallKit;
  /** Asked in this order, before everything else. */
  readonly hot?: readonly HotRoute[];
};
export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** Makes `/readyz` fail, so that the process gets no new traffic before it stops. */
  setReady(ready: boolean): void;
  /** Takes no new connections, lets running requests end until the deadline, then closes every socket. */
  stop(deadlineMs: number): Promise<void>;
}
export type HttpStartFailed = AccessUndeclared | PortBusy | Unavailable;

const seenKit = (calls: CallKit): SeenKit => {
  const { metrics } = calls.telemetry;
  const total = metrics.counter({
    name: 'doska_http_requests_total',
    help: 'HTTP requests by route and status.',
    labels: ['method', 'route', 'status'],
  });
  const took = metrics.histogram({
    name: 'doska_http_request_seconds',
    help: 'How long HTTP requests took.',
    labels: ['method', 'route'],
  });
  return {
    ...calls,
    observe: (method, route, status, ms) => {
      total.add(1, { method, route, status: String(status) });
      took.observe(ms / 1000, { method, route });
    },
  };
};

const targetOf = ({ url = '' }: IncomingMessage): { readonly path: string; readonly query: string } => {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
};

/** Requests that came while we stop are the last of their connection. */
const drain = async (server: Server, clock: Clock, deadlineMs: number): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = new AbortController();
  await Promise.race([closed, sleep(clock, deadlineMs, late.signal)]);
  late.abort();
  server.closeAllConnections();
  await closed;
};

const start = async (options: HttpServerOptions): Promise<Result<HttpServer, HttpStartFailed>> => {
  const limits = { ...defaultHttpLimits, ...options.limits };
  let ready = true;
  let stopping = false;
  const { mounts = [], readiness = {}, clock, hot = [] } = options;
  const health = healthRoutes({
    clock,
    readiness,
    checkMsMax: limits.checkMsMax,
    stopping: () => stopping || !ready,
    ...(options.metrics ? { metrics: options.metrics } : {}),
  });
  const kit = seenKit(options.calls ?? makeCallKit({ ...options, limits }));
  const contracts = options.json
    ? jsonRoutes(options.json.descriptorSet, options.json.services, kit.observe)
    : [];
  const { openApi } = options;
  const described: readonly HttpRoute[] = openApi
    ? [
        documentRoute(openApi.access, () =>
          openApiDocument(openApi, contracts, [...routes, ...hot.flatMap(({ serves = [] }) => serves)]),
        ),
      ]
    : [];
  const routes = [...health, ...described, ...options.routes];
  const missing = undeclared(routes, mounts);
  if (missing.length > 0) return err({ kind: 'AccessUndeclared', routes: missing });

  const forHot = hotKit(kit);
  const json = { ...kit, bodyBytesMax: limits.bodyBytesMax };
  const found = makeRouter(contracts);
  const cors = corsOf(options.corsOrigins ?? []);
  const app = expressApp({ ...kit, bytesMax: limits.bodyBytesMax }, routes, mounts);
  const server = createServer((request, response) => {
    if (stopping) response.setHeader('connection', 'close');
    // A connection whose request was running when the stop began is idle only now.
    response.once('close', () => stopping && setImmediate(() => server.closeIdleConnections()));
    if (cors && answerPreflight(cors, request, response)) return;
    if (hot.some((route) => route(request, response, forHot))) return;
    const { path, query } = targetOf(request);
    const match = found(request.method ?? '', path);
    if (match.kind === 'found') return serveJson(json, match.route, request, response, match.values, query);
    seeRequest(kit, request, response, (seen) => {
      if (match.kind === 'otherMethod') seen.allowed = match.allowed;
      if (!kit.inFlight.enter()) return sendProblem(response, seen, problemOfFailure(overloaded('calls')));
      response.once('close', () => kit.inFlight.leave());
      (response as Response).locals = { seen };
      app(request as Parameters<typeof app>[0], response as Response);
    });
  });
  server.keepAliveTimeout = limits.keepAliveMs;
  // Each request has a timer of its own. This one only has to let the longest of them be.
  server.requestTimeout = Math.max(kit.callMsMax, ...[...routes, ...hot].map(({ msMax = 0 }) => msMax));
  server.headersTimeout = Math.min(10_000, kit.callMsMax);
  const bound = await listen(server, options.listen);
  let stopped: Promise<void> | undefined;
  return bound.map((port) => ({
    host: options.listen.host,
    port,
    setReady: (now) => (ready = now),
    stop: (deadlineMs) => {
      stopping = true;
      return (stopped ??= drain(server, clock, deadlineMs));
    },
  }));
};

/** Serves when it resolves. A route without a declared access, a taken port or a wrong host is a value, and nothing listens. */
export const httpServer = (options: HttpServerOptions): ResultAsync<HttpServer, HttpStartFailed> =>
  new ResultAsync(start(options));
