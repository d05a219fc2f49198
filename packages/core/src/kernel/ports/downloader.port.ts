import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';

export type DownloadLimits = {
  /** Limit of the body before decoding. */
  readonly bytesMax: number;
  /** Limit of the body after its `Content-Encoding` is decoded. */
  readonly decodedBytesMax: number;
  /** Time from the call to the last byte, including redirects and pauses of the reader. */
  readonly totalMs: number;
  /** Time to reach one server: DNS, TCP and TLS together. */
  readonly connectMs: number;
  /** Longest time without a byte from the server while we wait for it. */
  readonly idleMs: number;
  readonly redirectsMax: number;
};

export type DownloadRequest = {
  readonly url: string;
  readonly limits: DownloadLimits;
  /** Validators of an earlier download. The server may then answer `unchanged` instead of sending the content. */
  readonly known?: { readonly etag?: string; readonly lastModified?: string };
  readonly signal?: AbortSignal;
};

/** The URL is invalid, is not http(s), contains a user or password, or has a port that is not allowed. */
export type BadUrl = { readonly kind: 'BadUrl'; readonly url: string; readonly reason: string };
/** The host resolves to an address outside the public internet. */
export type ForbiddenAddress = {
  readonly kind: 'ForbiddenAddress';
  readonly host: string;
  readonly address: string;
};
export type UnknownHost = { readonly kind: 'UnknownHost'; readonly host: string };
export type DownloadTooLarge = {
  readonly kind: 'DownloadTooLarge';
  readonly bytesMax: number;
  /** Which limit was exceeded. */
  readonly of: 'body' | 'decoded';
};
export type DownloadTimedOut = {
  readonly kind: 'DownloadTimedOut';
  readonly phase: 'total' | 'connect' | 'idle';
  readonly limitMs: number;
};
export type TooManyRedirects = { readonly kind: 'TooManyRedirects'; readonly redirectsMax: number };
export type HttpStatus = {
  readonly kind: 'HttpStatus';
  readonly status: number;
  /** From the server's `Retry-After` header. */
  readonly retryAfterMs?: number;
};
/** The response is not valid HTTP, or uses an encoding that was not requested. */
export type BadResponse = { readonly kind: 'BadResponse'; readonly reason: string };
export type DownloadError =
  | BadUrl
  | ForbiddenAddress
  | UnknownHost
  | DownloadTooLarge
  | DownloadTimedOut
  | TooManyRedirects
  | HttpStatus
  | BadResponse
  | Unavailable;

export type Downloaded =
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'content';
      /** Where the content came from, after redirects. */
      readonly url: string;
      /** Lower case, without parameters. */
      readonly contentType?: string;
      readonly etag?: string;
      readonly lastModified?: string;
      /** Can be iterated once. It holds a connection until it is read, returned early, or `totalMs` has passed. */
      readonly body: AsyncIterable<Uint8Array>;
    };

/** Thrown by the iteration of a body. `error` is the same value that `fetch` would have returned. */
export class DownloadInterrupted extends Error {
  readonly error: DownloadError;
  constructor(error: DownloadError) {
    super(`download interrupted: ${error.kind}`);
    this.name = 'DownloadInterrupted';
    this.error = error;
  }
}

/** Downloads from URLs that users provide and that must not be trusted. */
export interface Downloader {
  /**
   * Resolves when the server has sent its headers. It never sends a byte to an address outside the public internet,
   * also after a redirect, unless the configuration allows that address.
   * A status other than content, `unchanged` or a redirect is `HttpStatus`.
   * If the body ends early, exceeds a limit or takes too long, its iteration throws `DownloadInterrupted`. An incomplete
   * body never looks complete.
   */
  fetch(request: DownloadRequest): ResultAsync<Downloaded, DownloadError>;
}

const TRANSIENT_STATUS = new Set([408, 421, 425, 429, 500, 502, 503, 504]);
/** Whether the same download may succeed later. Servers and DNS recover; a forbidden address or a large file does not change. */
export const isTransientDownload = (error: DownloadError): boolean => {
  switch (error.kind) {
    case 'Unavailable':
      return error.retryable;
    case 'HttpStatus':
      return TRANSIENT_STATUS.has(error.status);
    case 'UnknownHost':
    case 'DownloadTimedOut':
      return true;
    case 'BadUrl':
    case 'ForbiddenAddress':
    case 'DownloadTooLarge':
    case 'TooManyRedirects':
    case 'BadResponse':
      return false;
  }
};
