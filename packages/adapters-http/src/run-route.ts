import type { Readable } from 'node:stream';
import { send, type CallKit, type DomainError } from '@doska/adapters-rpc';
import type { Access, Caller, Clock, NotAdmitted } from '@doska/core/kernel';
import { json, type Request, type RequestHandler, type Response } from 'express';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { BodyStream, bodyTooLarge } from './body-stream.ts';
import { sendText } from './json/send-text.ts';
import { parserProblem, problem, problemOf, type ProblemReply } from './problem.ts';
import type { HttpCall, HttpReply, HttpRoute } from './route.ts';
import { sendProblem, type Seen } from './seen.ts';

export type RouteKit = Pick<CallKit, 'gate' | 'clock' | 'streamIdleMs'> & { readonly bytesMax: number };
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

/** Texts that are worth packing. Pictures and archives are packed already. */
const isText = (type: string): boolean => /^(text\/|application\/([\w.+-]+\+)?(json|xml|yaml)\b)/.test(type);

type Reading = { readonly signal: AbortSignal; readonly clock: Clock; readonly idleMs: number };
const writePieces = async (
  response: Response,
  pieces: AsyncIterable<Uint8Array>,
  reading: Reading,
): Promise<void> => {
  for await (const piece of pieces) {
    if (reading.signal.aborted || (await send(response, piece, reading)) === 'idle')
      return void response.destroy();
  }
  response.end();
};

const write = async (
  request: Request,
  response: Response,
  reply: HttpReply,
  reading: Reading,
): Promise<void> => {
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  response.statusCode = reply.status;
  const sent =
    'content' in reply
      ? reply
      : { contentType: 'application/json; charset=utf-8', content: JSON.stringify(reply.json) };
  if ((sent.content as unknown) === undefined) return void response.end();
  const { contentType, content } = sent;
  if (typeof content === 'string' && isText(contentType))
    return sendText(request, response, reply.status, { 'content-type': contentType }, content);
  response.setHeader('content-type', contentType);
  if (request.method === 'HEAD') return void response.end();
  if (typeof content === 'string' || content instanceof Uint8Array) return void response.end(content);
  await writePieces(response, content, reading);
};

type Body = { readonly json: unknown; readonly stream: Readable };
const callOf = (request: Request, seen: Seen, caller: Caller, body: Body): HttpCall => ({
  params: request.params as Readonly<Record<string, string>>,
  query: new URLSearchParams(request.url.split('?').slice(1).join('?')),
  body: body.json,
  headers: request.headers,
  stream: body.stream,
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

/** What is left of a body is not waited for. */
const lastOf = ({ complete }: Request): Readonly<Record<string, string>> =>
  complete ? {} : { connection: 'close' };

/** One request of one route: admission, then the body, then the handler; the time may run out on any of them. */
export const routeHandler = (kit: RouteKit, route: HttpRoute): RequestHandler => {
  const { clock } = kit;
  const { bytesMax = kit.bytesMax, idleMs = kit.streamIdleMs, msMax } = route;
  const name = `${route.method} ${route.path}`;

  const handled = async (request: Request, seen: Seen, caller: Caller, json: unknown) => {
    const body = new BodyStream(request, { bytesMax, idleMs, clock });
    const refused = (): Result<never, ProblemReply> | undefined => body.refused && err(body.refused);
    try {
      const result = await route.handle(callOf(request, seen, caller, { json, stream: body.readable }));
      return refused() ?? result.mapErr((error) => asProblem(seen, error, route));
    } catch (cause) {
      const told = refused();
      if (told) return told;
      throw cause;
    }
  };
  const serve = async (request: Request, response: Response): Promise<Result<HttpReply, ProblemReply>> => {
    const seen = seenOf(response);
    const caller = await admit(kit, request, seen, name, route.access);
    if (caller.isErr()) return err(asProblem(seen, caller.error, route));
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) return err(bodyTooLarge(bytesMax));
    if (route.body === 'stream') return handled(request, seen, caller.value, undefined);
    const json = await readJson(request, response, bytesMax);
    return json.isErr() ? err(json.error) : handled(request, seen, caller.value, json.value);
  };
  return async (request, response) => {
    const seen = seenOf(response);
    if (msMax !== undefined) seen.setMsMax(msMax);
    try {
      const reply = await unlessGone(serve(request, response), seen.signal);
      if (reply === undefined)
        return sendProblem(response, seen, problem(504, 'DeadlineExceeded', {}, lastOf(request)));
      if (reply.isErr()) return sendProblem(response, seen, reply.error);
      await write(request, response, reply.value, { signal: seen.signal, clock, idleMs });
      // A client that does not read its answer must not keep the connection.
      if (!response.writableFinished) response.setTimeout(idleMs, () => response.destroy());
    } catch (error) {
      // A client that disconnects during a stream is no error.
      if (!seen.signal.aborted || seen.timedOut) seen.failure = { level: 'error', error };
      sendProblem(response, seen, problem(500, 'Internal'));
    }
  };
};
