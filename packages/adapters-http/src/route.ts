import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { DomainError, Eventually } from '@doska/adapters-rpc';
import type { Access, Caller, Logger } from '@doska/core/kernel';
import type { Router } from 'express';
import type { WrittenRoute } from './openapi/written-operation.ts';

export type HttpCall = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON, not yet checked; undefined without a body. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /**
   * The bytes of the body as they were sent, for a route with `body: 'stream'`. It fails when the body passes `bytesMax` or
   * stops for `idleMs`. The client is told so, whatever the handler then answers.
   */
  readonly stream: Readable;
  readonly caller: Caller;
  /** Aborts when the client has gone or the time is up. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  readonly logger: Logger;
  readonly address: string;
};

type Headers = Readonly<Record<string, string>>;
export type HttpReply =
  | { readonly status: number; readonly headers?: Headers; readonly json?: unknown }
  | {
      readonly status: number;
      readonly headers?: Headers;
      readonly contentType: string;
      readonly content: string | Uint8Array | AsyncIterable<Uint8Array>;
    };

export type HttpRoute = WrittenRoute & {
  /** `json` (the default) reads and parses it, `stream` leaves it to the handler. */
  readonly body?: 'json' | 'stream';
  /** The largest body, streamed or not. The server's own bound without it. */
  readonly bytesMax?: number;
  /** The longest time from the first line to the end of the answer. The server's own without it. */
  readonly msMax?: number;
  /** How long a client may neither send the rest of a streamed body nor read the answer. */
  readonly idleMs?: number;
  readonly handle: (call: HttpCall) => Eventually<HttpReply, DomainError>;
};
/** Pages and files: everything under `path` has one access. */
export type HttpMount = { readonly path: string; readonly access: Access; readonly router: Router };

export type AccessUndeclared = { readonly kind: 'AccessUndeclared'; readonly routes: readonly string[] };

/** Routes without a declared access. If there is one, the server does not start. */
export const undeclared = (routes: readonly HttpRoute[], mounts: readonly HttpMount[]): readonly string[] => [
  ...routes
    .filter((route) => !(route as Partial<HttpRoute>).access)
    .map(({ method, path }) => `${method} ${path}`),
  ...mounts.filter((mount) => !(mount as Partial<HttpMount>).access).map(({ path }) => `${path}/*`),
];
