import { gzipSync } from 'node:zlib';
import { errAsync, okAsync } from 'neverthrow';
import {
  DownloadInterrupted,
  type Downloaded,
  type Downloader,
  type DownloadError,
  type DownloadLimits,
} from '../ports/downloader.port.ts';

/** What a path answers. A server of a contract suite is made of the same data. */
export type WebPage = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly gzip?: boolean;
  /** The connection breaks after so many bytes of the body. */
  readonly cutAfter?: number;
  /** The download ends with this, as if a real one had met it. */
  readonly fails?: DownloadError;
};
export type MemoryWeb = {
  readonly pages: Map<string, WebPage>;
  /** Every URL that was asked for, in order. */
  readonly asked: string[];
};
export const memoryWeb = (pages: Readonly<Record<string, WebPage>> = {}): MemoryWeb => ({
  pages: new Map(Object.entries(pages)),
  asked: [],
});

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const CHUNK_BYTES = 1_000;

async function* bodyOf({ body = new Uint8Array(), cutAfter = Infinity }: WebPage, limits: DownloadLimits) {
  const end = Math.min(body.length, cutAfter);
  for (let at = 0; at < end; at += CHUNK_BYTES) {
    const chunk = body.slice(at, Math.min(at + CHUNK_BYTES, end));
    if (at + chunk.length > limits.decodedBytesMax)
      throw new DownloadInterrupted({
        kind: 'DownloadTooLarge',
        bytesMax: limits.decodedBytesMax,
        of: 'decoded',
      });
    yield chunk;
  }
  if (end < body.length)
    throw new DownloadInterrupted({ kind: 'Unavailable', what: 'download', retryable: true });
}

/** Downloads from pages in a map. Loopback is the forbidden address. A host without a page is unknown. */
export const inMemoryDownloader = ({ pages, asked }: MemoryWeb): Downloader => {
  const follow = (
    text: string,
    redirectsLeft: number,
    request: Parameters<Downloader['fetch']>[0],
  ): ReturnType<Downloader['fetch']> => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
      return errAsync({ kind: 'BadUrl', url: text, reason: 'not http(s), or with a password' });
    if (url.hostname === 'localhost' || url.hostname.startsWith('127.'))
      return errAsync({ kind: 'ForbiddenAddress', host: url.hostname, address: '127.0.0.1' });
    asked.push(text);
    const page = pages.get(text);
    if (!page) {
      const knowsHost = [...pages.keys()].some((each) => new URL(each).host === url.host);
      return errAsync(
        knowsHost ? { kind: 'HttpStatus', status: 404 } : { kind: 'UnknownHost', host: url.hostname },
      );
    }
    if (page.fails) return errAsync(page.fails);
    const { status = 200, headers = {}, body = new Uint8Array() } = page;
    const { limits, known } = request;
    if (REDIRECTS.has(status) && headers['location'] !== undefined)
      return redirectsLeft === 0
        ? errAsync({ kind: 'TooManyRedirects', redirectsMax: limits.redirectsMax })
        : follow(new URL(headers['location'], url).href, redirectsLeft - 1, request);
    if (known?.etag !== undefined && known.etag === headers['etag']) return okAsync({ kind: 'unchanged' });
    if (status !== 200) return errAsync({ kind: 'HttpStatus', status });
    if ((page.gzip ? gzipSync(body).length : body.length) > limits.bytesMax)
      return errAsync({ kind: 'DownloadTooLarge', bytesMax: limits.bytesMax, of: 'body' });
    const { etag, 'last-modified': lastModified } = headers;
    const contentType = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    const downloaded: Downloaded = {
      kind: 'content',
      url: url.href,
      ...(contentType === undefined ? {} : { contentType }),
      ...(etag === undefined ? {} : { etag }),
      ...(lastModified === undefined ? {} : { lastModified }),
      body: bodyOf(page, limits),
    };
    return okAsync(downloaded);
  };
  return {
    fetch: (request) =>
      request.signal?.aborted
        ? errAsync({ kind: 'Unavailable', what: 'download aborted', retryable: true })
        : follow(request.url, request.limits.redirectsMax, request),
  };
};
