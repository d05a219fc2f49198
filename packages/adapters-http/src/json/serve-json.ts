import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  send,
  serveCall,
  ServedCall,
  streamIdle,
  type CallContext,
  type CallHead,
  type DomainError,
  type Failure,
} from '@doska/adapters-rpc';
import { err, ok, type Result } from 'neverthrow';
import { problemOfFailure, type ProblemReply } from '../problem.ts';
import { oneHeader, SECURITY_HEADERS, sendProblem, type SeenKit } from '../seen.ts';
import { applyConditions, isKnownTag } from './conditions.ts';
import { sendText } from './send-text.ts';
import type { JsonRoute, Rendered } from './json-route.ts';
import { BODY_STATUS, readBody } from './read-body.ts';
import { readRequest } from './read-request.ts';
import { requestJson } from './request-json.ts';

export type JsonKit = SeenKit & { readonly bodyBytesMax: number };

const headOf = ({ headers, socket }: IncomingMessage): CallHead => ({
  authorization: headers.authorization,
  requestId: oneHeader(headers['x-request-id']),
  forwardedFor: oneHeader(headers['x-forwarded-for']),
  peer: socket.remoteAddress ?? 'unknown',
  deadlineMs: Number.POSITIVE_INFINITY,
  traceparent: oneHeader(headers['traceparent']),
  tracestate: oneHeader(headers['tracestate']),
});

/** One call of one route: what was read of it and what is to be sent. */
class JsonCall {
  readonly #kit: JsonKit;
  readonly #route: JsonRoute;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #values: readonly string[];
  readonly #query: string;
  #answer: Rendered | undefined;
  #isConditional = false;

  constructor(
    kit: JsonKit,
    route: JsonRoute,
    request: IncomingMessage,
    response: ServerResponse,
    values: readonly string[],
    query: string,
  ) {
    this.#kit = kit;
    this.#route = route;
    this.#request = request;
    this.#response = response;
    this.#values = values;
    this.#query = query;
  }

  serve(): void {
    const { served } = this.#route;
    const call = new ServedCall(this.#kit, served, headOf(this.#request));
    this.#response.once('close', () => call.deadline.cancel());
    void serveCall(
      this.#kit,
      served,
      call,
      (context) => (served.isStream ? this.#many(call) : this.#once(context)),
      (failure) => this.#finish(call, failure),
    );
  }

  /** The message for the handler. The body is read only after the caller was let in. */
  async #message(): Promise<Result<unknown, DomainError>> {
    const { binding, fields, method } = this.#route;
    const body =
      binding.body === undefined ? ok(undefined) : await readBody(this.#request, this.#kit.bodyBytesMax);
    if (body.isErr()) return err(body.error);
    const json = requestJson(binding, this.#values, this.#query, body.value);
    if (json.isErr()) return err(json.error);
    const conditional = applyConditions(fields, this.#request.headers, json.value);
    if (conditional.isErr()) return err(conditional.error);
    this.#isConditional = conditional.value;
    return readRequest(binding.method.input, method.requestType, json.value);
  }

  async #once(context: CallContext): Promise<Result<void, DomainError>> {
    const message = await this.#message();
    if (message.isErr()) return err(message.error);
    const result = await (this.#route.handle(message.value, context) as PromiseLike<
      Result<unknown, DomainError>
    >);
    if (result.isErr()) return err(result.error);
    this.#answer = this.#route.render(result.value);
    return ok();
  }

  async #many(call: ServedCall): Promise<Result<void, DomainError>> {
    const message = await this.#message();
    if (message.isErr()) return err(message.error);
    const { clock, streamIdleMs: idleMs } = this.#kit;
    const { signal } = call;
    const results = this.#route.handle(message.value, call) as AsyncIterable<Result<unknown, DomainError>>;
    for await (const result of results) {
      if (result.isErr()) return err(result.error);
      if (signal.aborted) break;
      this.#beginStream(call);
      if (this.#request.method === 'HEAD') break;
      const line = `${this.#route.render(result.value).text}\n`;
      if ((await send(this.#response, line, { signal, clock, idleMs })) === 'idle')
        return err(streamIdle(idleMs));
    }
    return ok();
  }
  #beginStream({ requestId }: ServedCall): void {
    if (this.#response.headersSent || this.#response.destroyed) return;
    this.#response.writeHead(200, {
      ...SECURITY_HEADERS,
      'x-request-id': requestId,
      'content-type': 'application/x-ndjson',
    });
  }

  #finish(call: ServedCall, failure: Failure | undefined): void {
    if (this.#response.destroyed) return;
    if (this.#route.served.isStream) this.#finishStream(call, failure);
    else if (failure || !this.#answer) sendProblem(this.#response, call, this.#problem(failure!));
    else this.#sendAnswer(call, this.#answer);
    // A client that does not read its answer must not keep the connection.
    if (!this.#response.writableFinished)
      this.#response.setTimeout(this.#kit.streamIdleMs, () => this.#response.destroy());
  }
  #finishStream(call: ServedCall, failure: Failure | undefined): void {
    if (!failure) {
      this.#beginStream(call);
      this.#response.end();
    } else if (!this.#response.headersSent) sendProblem(this.#response, call, this.#problem(failure));
    else {
      const { problem } = this.#problem(failure);
      this.#response.end(`${JSON.stringify({ error: { ...problem, requestId: call.requestId } })}\n`);
    }
  }
  #problem(failure: Failure): ProblemReply {
    const status = BODY_STATUS[failure.reason ?? ''];
    if (status !== undefined) {
      const reply = problemOfFailure(failure, status);
      // The rest of the body is not read.
      return { ...reply, headers: { ...reply.headers, connection: 'close' } };
    }
    return this.#isConditional && failure.status === 'ABORTED'
      ? problemOfFailure(failure, 412)
      : problemOfFailure(failure);
  }
  #sendAnswer({ requestId }: ServedCall, { text, tag }: Rendered): void {
    const headers: Record<string, string> = {
      ...SECURITY_HEADERS,
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
    };
    const { cacheControl } = this.#route;
    if (cacheControl !== undefined) headers['cache-control'] = cacheControl;
    if (tag !== undefined) headers['etag'] = tag;
    if (
      tag !== undefined &&
      this.#route.verb === 'GET' &&
      isKnownTag(this.#request.headers['if-none-match'], tag)
    )
      return void this.#response.writeHead(304, headers).end();
    sendText(this.#request, this.#response, 200, headers, text);
  }
}

export const serveJson = (
  kit: JsonKit,
  route: JsonRoute,
  request: IncomingMessage,
  response: ServerResponse,
  values: readonly string[],
  query: string,
): void => new JsonCall(kit, route, request, response, values, query).serve();
