import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf, traceOf, type CallKit } from '@doska/adapters-rpc';
import { clientAddress, type Logger } from '@doska/core/kernel';
import { CLIENT_LEFT } from './http-status.ts';
import { type Problem, type ProblemReply } from './problem.ts';

/** What the server records about a request. */
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
  /** Gives the request another time than the server's own, counted from its first line. */
  readonly setMsMax: (msMax: number) => void;
  /** Methods that the path has elsewhere. */
  allowed: readonly string[];
};
export type SeenKit = CallKit & {
  readonly observe: (method: string, route: string, status: number, ms: number) => void;
};

export const oneHeader = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

export const addressOf = ({ headers, socket }: IncomingMessage, trustedProxies: number): string =>
  clientAddress({
    peer: socket.remoteAddress ?? 'unknown',
    forwardedFor: oneHeader(headers['x-forwarded-for']),
    trustedProxies,
  });

export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
} as const;

export const sendProblem = (
  response: ServerResponse,
  seen: Pick<Seen, 'requestId'>,
  { problem, headers }: ProblemReply,
): void => {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const body: Problem = { ...problem, requestId: seen.requestId };
  response.setHeader('x-request-id', seen.requestId);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
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
  const { headers } = request;
  const requestId = requestIdOf(oneHeader(headers['x-request-id']), kit);
  const trace = {
    traceparent: oneHeader(headers['traceparent']),
    tracestate: oneHeader(headers['tracestate']),
  };
  const method = request.method ?? '';
  const [path = ''] = (request.url ?? '').split('?');
  const gone = new AbortController();
  const address = addressOf(request, kit.trustedProxies);
  const timeUp = (): void => {
    seen.timedOut = true;
    gone.abort();
  };
  let cancel = clock.after(kit.callMsMax, timeUp);
  let logger: Logger | undefined;
  const seen: Seen = {
    requestId,
    address,
    signal: gone.signal,
    route: 'unmatched',
    timedOut: false,
    allowed: [],
    setMsMax: (msMax) => {
      cancel();
      cancel = clock.after(Math.max(0, startMs + msMax - clock.nowMs()), timeUp);
    },
    // Most handlers log nothing: the logger is created on first use.
    get logger() {
      return (logger ??= telemetry.logger.child({ requestId }));
    },
  };
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
    { parent: traceOf(trace), attributes: { requestId } },
    async () => {
      const closed = new Promise<void>((resolve) => response.once('close', resolve));
      serve(seen);
      await closed;
      over();
    },
  );
};
