import type { IncomingMessage } from 'node:http';
import type { Clock, Downloaded, Downloader, DownloadError, DownloadRequest } from '@doska/core/kernel';
import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { nowhere, type AllowedPlaces } from './address/allowed-places.ts';
import { checkUrl, locate, systemResolve, type Guard, type Resolve } from './address/target.ts';
import { ACCEPT_ENCODING, readBody } from './exchange/body.ts';
import { startDeadlines, type Deadlines } from './exchange/deadlines.ts';
import { ask } from './exchange/exchange.ts';
import { failureOf } from './exchange/failure.ts';

export type GuardedDownloaderOptions = {
  readonly clock: Clock;
  /** Hosts and networks that are allowed although they are not public. None by default. */
  readonly allowed?: AllowedPlaces;
  /** Allowed ports of public servers. All by default. Explicitly allowed hosts may use any port. */
  readonly ports?: readonly number[];
  /** An HTTP proxy that allows `CONNECT` to these ports. */
  readonly proxy?: URL;
  readonly userAgent?: string;
  /** Certificate authorities (PEM) that replace Node's own. */
  readonly ca?: string;
  readonly resolve?: Resolve;
};

const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

const header = (response: IncomingMessage, name: 'etag' | 'last-modified'): string | undefined =>
  response.headers[name];
const contentTypeOf = (response: IncomingMessage): string | undefined =>
  response.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
/** Seconds, or a date. */
const retryAfterMs = (text: string | undefined, nowMs: number): number | undefined => {
  if (text === undefined) return undefined;
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
};

/** Removes undefined properties, for `exactOptionalPropertyTypes`. */
const present = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** Downloads over http(s) from public addresses only. The README lists what is refused. */
export const guardedDownloader = ({
  clock,
  allowed = nowhere,
  ports,
  proxy,
  userAgent = 'doska',
  ca,
  resolve = systemResolve,
}: GuardedDownloaderOptions): Downloader => {
  const guard: Guard = { resolve, allowed, ports: ports && new Set(ports) };
  const route = { proxy, ca };

  const answerOf = (
    response: IncomingMessage,
    url: URL,
    { request, deadlines }: { readonly request: DownloadRequest; readonly deadlines: Deadlines },
  ): Result<Downloaded, DownloadError> => {
    const { limits } = request;
    const status = response.statusCode ?? 0;
    if (status === 304 && request.known) {
      response.destroy();
      return ok({ kind: 'unchanged' });
    }
    if (status !== 200)
      return err({
        kind: 'HttpStatus',
        status,
        ...present({ retryAfterMs: retryAfterMs(response.headers['retry-after'], clock.nowMs()) }),
      });
    return readBody(response, { limits, deadlines, host: url.hostname }).map((body) => ({
      kind: 'content' as const,
      url: url.href,
      ...present({
        contentType: contentTypeOf(response),
        etag: header(response, 'etag'),
        lastModified: header(response, 'last-modified'),
      }),
      body,
    }));
  };

  const follow = async (
    first: URL,
    request: DownloadRequest,
    deadlines: Deadlines,
  ): Promise<Result<Downloaded, DownloadError>> => {
    const headers = {
      'user-agent': userAgent,
      accept: '*/*',
      'accept-encoding': ACCEPT_ENCODING,
      ...present({ 'if-none-match': request.known?.etag, 'if-modified-since': request.known?.lastModified }),
    };
    let url = first;
    try {
      for (let redirects = 0; redirects <= request.limits.redirectsMax; redirects++) {
        deadlines.connecting();
        // A DNS request cannot be cancelled. Its late answer is ignored.
        const target = await Promise.race([locate(url, guard), aborted(deadlines.signal)]);
        if (target.isErr()) return err(target.error);
        const response = await ask(target.value, headers, { route, deadlines });
        const { location } = response.headers;
        if (!REDIRECTS.has(response.statusCode) || location === undefined)
          return answerOf(response, url, { request, deadlines }).orTee(() => response.destroy());
        response.destroy();
        const next = checkUrl(location, url);
        if (next.isErr()) return err(next.error);
        url = next.value;
      }
      return err({ kind: 'TooManyRedirects', redirectsMax: request.limits.redirectsMax });
    } catch (cause) {
      return err(failureOf(cause, { signal: deadlines.signal, host: url.hostname }));
    }
  };

  const fetch = async (request: DownloadRequest): Promise<Result<Downloaded, DownloadError>> => {
    const url = checkUrl(request.url);
    if (url.isErr()) return err(url.error);
    const deadlines = startDeadlines(clock, request.limits, request.signal);
    const answer = await follow(url.value, request, deadlines);
    if (answer.isErr() || answer.value.kind === 'unchanged') deadlines.end();
    return answer;
  };
  return { fetch: (request) => new ResultAsync(fetch(request)) };
};

/** Rejects when the signal aborts, or at once if it has aborted already. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
