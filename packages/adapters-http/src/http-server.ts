import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  makeGate,
  rateLimiter,
  sleep,
  type Access,
  type Authenticator,
  type Caller,
  type Clock,
  type Gate,
  type Ids,
  type NotAdmitted,
  type Telemetry,
  type Unavailable,
} from '@doska/core/kernel';
import type { Response } from 'express';
import { err, ResultAsync, type Result } from 'neverthrow';
import { expressApp } from './app.ts';
import { healthRoutes, type HealthOptions, type ReadinessCheck } from './health-routes.ts';
import { listen, type ListenOptions, type PortBusy } from './listen.ts';
import { problem } from './problem.ts';
import { undeclared, type AccessUndeclared, type HttpMount, type HttpRoute } from './route.ts';
import { addressOf, seeRequest, sendProblem, type SeenKit } from './seen.ts';

export type HttpLimits = {
  readonly bodyBytesMax: number;
  /** From the first line of a request to its answer. */
  readonly requestMsMax: number;
  readonly requestsMax: number;
  readonly keepAliveMs: number;
  readonly checkMsMax: number;
};
export const defaultHttpLimits: HttpLimits = {
  bodyBytesMax: 1024 * 1024,
  requestMsMax: 30_000,
  requestsMax: 2_000,
  keepAliveMs: 65_000,
  checkMsMax: 2_000,
};

/** What a hot route needs of the kit, since it stands before everything else. */
export type HotKit = {
  admit(request: IncomingMessage, name: string, access: Access): ResultAsync<Caller, NotAdmitted>;
  observe(method: string, route: string, status: number, ms: number): void;
};
export type HttpServerOptions = {
  readonly listen: ListenOptions;
  readonly routes: readonly HttpRoute[];
  readonly mounts?: readonly HttpMount[];
  readonly readiness?: Readonly<Record<string, ReadinessCheck>>;
  readonly metrics?: NonNullable<HealthOptions['metrics']>;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  readonly limits?: Partial<HttpLimits>;
  readonly trustedProxies?: number;
  /** Looked at before Express (five times its speed); true means it answers by itself, admission and counting included. */
  readonly hot?: (request: IncomingMessage, response: ServerResponse, kit: HotKit) => boolean;
};
export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** Takes this process out of service, e.g. a while before it stops; `/readyz` says so. */
  setReady(ready: boolean): void;
  /** Takes no new connections, lets running requests end until the deadline, then closes every socket. */
  stop(deadlineMs: number): Promise<void>;
}
export type HttpStartFailed = AccessUndeclared | PortBusy | Unavailable;

const seenKit = (
  { clock, ids, telemetry, trustedProxies = 0 }: HttpServerOptions,
  { requestMsMax }: HttpLimits,
): SeenKit => {
  const { metrics } = telemetry;
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
    clock,
    ids,
    telemetry,
    trustedProxies,
    requestMsMax,
    observe: (method, route, status, ms) => {
      total.add(1, { method, route, status: String(status) });
      took.observe(ms / 1000, { method, route });
    },
  };
};

const hotKit = (gate: Gate, kit: SeenKit): HotKit => ({
  admit: (request, name, access) =>
    gate({
      name,
      access,
      authorization: request.headers.authorization,
      address: addressOf(request, kit.trustedProxies),
    }),
  observe: kit.observe,
});

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
  let [ready, stopping, running] = [true, false, 0];
  const { mounts = [], readiness = {}, clock, hot } = options;
  const health = healthRoutes({
    clock,
    readiness,
    checkMsMax: limits.checkMsMax,
    stopping: () => stopping || !ready,
    ...(options.metrics ? { metrics: options.metrics } : {}),
  });
  const routes = [...health, ...options.routes];
  const missing = undeclared(routes, mounts);
  if (missing.length > 0) return err({ kind: 'AccessUndeclared', routes: missing });

  const kit = seenKit(options, limits);
  const gate = makeGate({ authenticator: options.authenticator, limiter: rateLimiter(clock) });
  const hotRoutes = hotKit(gate, kit);
  const app = expressApp({ gate, bytesMax: limits.bodyBytesMax }, routes, mounts);
  const server = createServer((request, response) => {
    if (stopping) response.setHeader('connection', 'close');
    // A connection whose request was running when the stop began is idle only now.
    response.once('close', () => stopping && setImmediate(() => server.closeIdleConnections()));
    if (hot?.(request, response, hotRoutes)) return;
    seeRequest(kit, request, response, (seen) => {
      if (running >= limits.requestsMax)
        return sendProblem(response, seen, problem(503, 'Overloaded', {}, { 'retry-after': '1' }));
      running += 1;
      response.once('close', () => (running -= 1));
      (response as Response).locals = { seen };
      app(request as Parameters<typeof app>[0], response as Response);
    });
  });
  server.keepAliveTimeout = limits.keepAliveMs;
  server.requestTimeout = limits.requestMsMax;
  server.headersTimeout = Math.min(10_000, limits.requestMsMax);
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
