import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';

export type DownloadLimits = {
  /** Of the body as it travels. */
  readonly bytesMax: number;
  /** Of the body as it is read, after its `Content-Encoding` is undone. */
  readonly decodedBytesMax: number;
  /** From the call to the last byte, redirects and the reader's own pauses included. */
  readonly totalMs: number;
  /** To find and reach one server: name, connection and TLS. */
  readonly connectMs: number;
  /** Without a single byte from a server that is waited for. */
  readonly idleMs: number;
  readonly redirectsMax: number;
};

export type DownloadRequest = {
  readonly url: string;
  readonly limits: DownloadLimits;
  /** What an earlier download was told: a server that honours it need not send the same content again. */
  readonly known?: { readonly etag?: string; readonly lastModified?: string };
  readonly signal?: AbortSignal;
};

/** Not an address to download from: no http(s), a password in it, a port that is not allowed, or no URL at all. */
export type BadUrl = { readonly kind: 'BadUrl'; readonly url: string; readonly reason: string };
/** The name leads to an address that is not the public internet's. */
export type ForbiddenAddress = {
  readonly kind: 'ForbiddenAddress';
  readonly host: string;
  readonly address: string;
};
export type UnknownHost = { readonly kind: 'UnknownHost'; readonly host: string };
export type DownloadTooLarge = {
  readonly kind: 'DownloadTooLarge';
  readonly bytesMax: number;
  /** Which of the two limits. */
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
  /** When the server says how long to wait. */
  readonly retryAfterMs?: number;
};
/** The answer is not HTTP as we understand it: broken, or encoded in a way we did not ask for. */
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
      /** In small letters, without parameters. */
      readonly contentType?: string;
      readonly etag?: string;
      readonly lastModified?: string;
      /** To be read once, to its end or to an early `return`; until then, and until `totalMs`, it holds a connection. */
      readonly body: AsyncIterable<Uint8Array>;
    };

/** What the iteration of a body throws, so that the value gets through those who only know exceptions. */
export class DownloadInterrupted extends Error {
  readonly error: DownloadError;
  constructor(error: DownloadError) {
    super(`download interrupted: ${error.kind}`);
    this.name = 'DownloadInterrupted';
    this.error = error;
  }
}

/** Content from addresses that strangers name. */
export interface Downloader {
  /**
   * Answers as soon as a server does. It never sends a byte to an address outside of the public internet, unless that
   * was allowed by name: neither the one that was asked for nor one that a redirect leads to.
   * An answer other than content, `unchanged` or a redirect is `HttpStatus`.
   * A body that ends early, grows over a limit or takes too long makes its iteration throw `DownloadInterrupted`; it
   * never looks complete.
   */
  fetch(request: DownloadRequest): ResultAsync<Downloaded, DownloadError>;
}

const TRANSIENT_STATUS = new Set([408, 421, 425, 429, 500, 502, 503, 504]);
/** May the same download succeed later? Names and servers come back; what an address is or how large a file is does not change. */
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
