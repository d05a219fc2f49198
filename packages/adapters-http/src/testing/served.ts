import { request as httpRequest, type Agent } from 'node:http';
import { errAsync, ok, okAsync } from 'neverthrow';
import type { Access, Authenticator, Caller, Clock, Telemetry } from '@doska/core/kernel';
import { httpServer, type HttpServer, type HttpServerOptions } from '../http-server.ts';
import type { HttpRoute } from '../route.ts';

export const realClock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
const callers: Readonly<Record<string, Caller>> = {
  operator: { subject: 'ann', roles: [{ name: 'operator' }] },
  seller: { subject: 'bob', roles: [{ name: 'seller', id: '1' }] },
};
/** The token is the name of the caller. */
export const namedCallers: Authenticator = {
  authenticate: (token) => {
    const caller = callers[token];
    return caller ? okAsync(caller) : errAsync({ kind: 'Unauthenticated', reason: 'unknown token' });
  },
};

export type Line = { readonly level: string; readonly message: string; readonly [field: string]: unknown };
const recordingTelemetry = (): {
  telemetry: Telemetry;
  lines: Line[];
  counts: Map<string, number>;
  parents: unknown[];
} => {
  const [lines, counts, parents]: [Line[], Map<string, number>, unknown[]] = [[], new Map(), []];
  const logger = (base: object): Telemetry['logger'] => {
    const at = (level: string) => (message: string, fields?: object) =>
      void lines.push({ level, message, ...base, ...fields });
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => logger({ ...base, ...fields }),
    };
  };
  const count = (name: string, n: number, labels: object = {}): void => {
    const key = [name, ...Object.values(labels)].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + n);
  };
  const telemetry: Telemetry = {
    logger: logger({}),
    metrics: {
      counter: ({ name }) => ({ add: (n = 1, labels) => count(name, n, labels) }),
      gauge: () => ({ set: () => undefined }),
      histogram: ({ name }) => ({ observe: (_value, labels) => count(name, 1, labels) }),
    },
    tracer: { span: (_name, { parent }, work) => (parents.push(parent), work()), context: () => ({}) },
  };
  return { telemetry, lines, counts, parents };
};

export const operators: Access = { roles: ['operator'] };
/** A route that says what it was given. */
export const route = (changed: Partial<HttpRoute> = {}): HttpRoute => ({
  method: 'POST',
  path: '/echo/:id',
  access: operators,
  handle: async ({ params, query, body, caller }) =>
    ok({ status: 200, json: { params, query: [...query], body, subject: caller.subject } }),
  ...changed,
});

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
  readonly text: string;
};
export type Served = ReturnType<typeof recordingTelemetry> & {
  readonly server: HttpServer;
  /** With an operator's token unless the headers say otherwise. */
  ask(
    method: string,
    path: string,
    init?: { readonly headers?: Record<string, string>; readonly body?: string },
  ): Promise<Answer>;
};

export const start = (routes: readonly HttpRoute[], options: Partial<HttpServerOptions> = {}) => {
  const recorded = recordingTelemetry();
  let id = 0;
  const started = httpServer({
    listen: { host: '127.0.0.1', port: 0, whenBusy: 'refuse' },
    routes,
    authenticator: namedCallers,
    clock: realClock,
    ids: { next: () => `id-${(id += 1)}` },
    telemetry: recorded.telemetry,
    ...options,
  });
  return { started, recorded };
};

export const served = async (
  routes: readonly HttpRoute[],
  options: Partial<HttpServerOptions> = {},
): Promise<Served> => {
  const { started, recorded } = start(routes, options);
  const server = (await started)._unsafeUnwrap();
  const ask: Served['ask'] = async (method, path, { headers = {}, body } = {}) => {
    const sent = {
      authorization: 'Bearer operator',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const kept = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: kept,
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      json: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
    };
  };
  return { ...recorded, server, ask };
};

/** A raw request over a connection that is kept: what `fetch` hides. */
export const keptRequest = (port: number, path: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: '127.0.0.1', port, path, agent, headers: { authorization: 'Bearer operator' } },
      (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.once('error', reject).end();
  });
