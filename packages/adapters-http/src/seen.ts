import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  clientAddress,
  type Clock,
  type Ids,
  type Logger,
  type Telemetry,
  type TraceContext,
} from '@doska/core/kernel';
import { type Problem, type ProblemReply } from './problem.ts';

/** What the kit knows of a request from its first line to its last byte. */
export type Seen = {
  readonly requestId: string;
  readonly address: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** The pattern that matched, for metrics: paths are without number. */
  route: string;
  subject?: string;
  /** An expected infrastructure failure, or a bug: for the one line this request gets. */
  failure?: { readonly level: 'warn' | 'error'; readonly error: unknown };
  timedOut: boolean;
};
export type SeenKit = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  readonly trustedProxies: number;
  readonly requestMsMax: number;
  readonly observe: (method: string, route: string, status: number, ms: number) => void;
};

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;
const traceOf = ({ headers }: IncomingMessage): TraceContext =>
  Object.fromEntries(
    ['traceparent', 'tracestate'].flatMap((name) => {
      const value = one(headers[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );

export const addressOf = ({ headers, socket }: IncomingMessage, trustedProxies: number): string =>
  clientAddress({
    peer: socket.remoteAddress ?? 'unknown',
    forwardedFor: one(headers['x-forwarded-for']),
    trustedProxies,
  });

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
} as const;

/** nginx's number for a client that did not wait. */
const CLIENT_LEFT = 499;

export const sendProblem = (
  response: ServerResponse,
  seen: Seen,
  { problem, headers }: ProblemReply,
): void => {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const body: Problem = { ...problem, requestId: seen.requestId };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-type', 'application/problem+json');
  response.statusCode = problem.status;
  response.end(JSON.stringify(body));
};

/** Runs `serve` inside the request's span; when the response is over writes the request's one line and counts it. */
export const seeRequest = (
  kit: SeenKit,
  request: IncomingMessage,
  response: ServerResponse,
  serve: (seen: Seen) => void,
): void => {
  const { clock, telemetry } = kit;
  const startMs = clock.nowMs();
  const asked = one(request.headers['x-request-id']);
  const requestId = asked !== undefined && /^[\w.:-]{1,128}$/.test(asked) ? asked : kit.ids.next();
  const method = request.method ?? '';
  const [path = ''] = (request.url ?? '').split('?');
  const gone = new AbortController();
  const address = addressOf(request, kit.trustedProxies);
  let logger: Logger | undefined;
  const seen: Seen = {
    requestId,
    address,
    signal: gone.signal,
    route: 'unmatched',
    timedOut: false,
    // Most handlers say nothing: a logger is made when somebody asks for it.
    get logger() {
      return (logger ??= telemetry.logger.child({ requestId }));
    },
  };
  const cancel = clock.after(kit.requestMsMax, () => {
    seen.timedOut = true;
    gone.abort();
  });
  response.setHeader('x-request-id', requestId);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);

  const over = (): void => {
    cancel();
    gone.abort();
    const status = response.writableFinished ? response.statusCode : CLIENT_LEFT;
    const ms = clock.nowMs() - startMs;
    kit.observe(method, seen.route, status, ms);
    const line = { method, path, route: seen.route, status, ms, requestId, caller: seen.subject, address };
    const { level, error } = seen.failure ?? { level: 'info' as const };
    telemetry.logger[level]('http request', error === undefined ? line : { ...line, error });
  };
  void telemetry.tracer.span(
    `${method} ${path}`,
    { parent: traceOf(request), attributes: { requestId } },
    async () => {
      const closed = new Promise<void>((resolve) => response.once('close', resolve));
      serve(seen);
      await closed;
      over();
    },
  );
};
