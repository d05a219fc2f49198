import { request as httpRequest, type Agent } from 'node:http';
import { ok } from 'neverthrow';
import type { Access } from '@doska/core/kernel';
import { namedCallers, realClock, recordingTelemetry } from '@doska/core/kernel/testing';
import { httpServer, type HttpServer, type HttpServerOptions } from '../http-server.ts';
import type { HttpRoute } from '../route.ts';

export const operators: Access = { roles: ['operator'] };
/** A route that returns its input. */
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
