import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DomainError } from '@doska/adapters-rpc';
import type { Access, Caller, Gate, NotAdmitted } from '@doska/core/kernel';
import { json, type Request, type RequestHandler, type Response } from 'express';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { parserProblem, problem, problemOf, type ProblemReply } from './problem.ts';
import type { HttpCall, HttpReply, HttpRoute } from './route.ts';
import { sendProblem, type Seen } from './seen.ts';

export type RouteKit = { readonly gate: Gate; readonly bytesMax: number };
export const seenOf = (response: Response): Seen => (response.locals as { readonly seen: Seen }).seen;

export const admit = (
  kit: RouteKit,
  request: Request,
  seen: Seen,
  name: string,
  access: Access,
): ResultAsync<Caller, NotAdmitted> => {
  seen.route = name;
  return kit
    .gate({ name, access, authorization: request.headers.authorization, address: seen.address })
    .andTee(({ subject }) => (seen.subject = subject));
};

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Reads a JSON body of limited size. Invalid JSON or another content type is a problem. */
const readJson = async (
  request: Request,
  response: Response,
  limit: number,
): Promise<Result<unknown, ProblemReply>> => {
  if (!hasBody(request)) return ok(undefined);
  if (!request.is(['json', '+json']))
    return err(problem(415, 'UnsupportedMediaType', { detail: 'JSON is expected' }));
  const parse = json({ limit, strict: false, type: () => true });
  const cause = await new Promise<unknown>((resolve) => parse(request, response, resolve));
  if (cause === undefined) return ok(request.body as unknown);
  const known = parserProblem(cause);
  if (known) return err(known);
  throw new Error('the body could not be read', { cause });
};

const write = async (request: Request, response: Response, reply: HttpReply): Promise<void> => {
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  const head = request.method === 'HEAD';
  if (!('content' in reply)) {
    if (reply.json === undefined) return void response.end();
    response.setHeader('content-type', 'application/json; charset=utf-8');
    return void response.end(head ? undefined : JSON.stringify(reply.json));
  }
  response.setHeader('content-type', reply.contentType);
  if (head) return void response.end();
  if (typeof reply.content === 'string' || reply.content instanceof Uint8Array)
    return void response.end(reply.content);
  await pipeline(Readable.from(reply.content, { objectMode: false }), response);
};

const callOf = (request: Request, seen: Seen, caller: Caller, body: unknown): HttpCall => ({
  params: request.params as Readonly<Record<string, string>>,
  query: new URLSearchParams(request.url.split('?').slice(1).join('?')),
  body,
  headers: request.headers,
  stream: request,
  caller,
  signal: seen.signal,
  requestId: seen.requestId,
  get logger() {
    return seen.logger;
  },
  address: seen.address,
});

const asProblem = (seen: Seen, error: DomainError, route: HttpRoute): ProblemReply => {
  const known = problemOf(error, route.errors);
  if (error.kind === 'Unavailable') seen.failure = { level: 'warn', error };
  if (known) return known;
  seen.failure = { level: 'error', error };
  return problem(500, 'Internal');
};

/** Resolves with undefined when the client has gone or the time is up. */
const unlessGone = <T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const gone = (): void => resolve(undefined);
    signal.addEventListener('abort', gone, { once: true });
    work.then(resolve, reject);
  });

/** One request of one route: admission, then the body, then the handler; the time may run out on any of them. */
export const routeHandler =
  (kit: RouteKit, route: HttpRoute): RequestHandler =>
  async (request, response) => {
    const seen = seenOf(response);
    const serve = async (): Promise<Result<HttpReply, ProblemReply>> => {
      const caller = await admit(kit, request, seen, `${route.method} ${route.path}`, route.access);
      if (caller.isErr()) return err(asProblem(seen, caller.error, route));
      const limit = route.bytesMax ?? kit.bytesMax;
      const body = route.body === 'stream' ? ok(undefined) : await readJson(request, response, limit);
      if (body.isErr()) return err(body.error);
      const result = await route.handle(callOf(request, seen, caller.value, body.value));
      return result.mapErr((error) => asProblem(seen, error, route));
    };
    try {
      const reply = await unlessGone(serve(), seen.signal);
      if (reply === undefined) return sendProblem(response, seen, problem(504, 'DeadlineExceeded'));
      if (reply.isErr()) return sendProblem(response, seen, reply.error);
      await write(request, response, reply.value);
    } catch (error) {
      // A client that disconnects during a stream is no error.
      if (!seen.signal.aborted || seen.timedOut) seen.failure = { level: 'error', error };
      sendProblem(response, seen, problem(500, 'Internal'));
    }
  };
