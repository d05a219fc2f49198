import { err, ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DownloadInterrupted,
  type Downloaded,
  type Downloader,
  type DownloadError,
  type DownloadLimits,
} from '../ports/downloader.port.ts';
import type { WebPage } from './in-memory-downloader.ts';

export type DownloaderHarness = {
  readonly open: () => Promise<{
    readonly downloader: Downloader;
    /** Makes a server answer with these pages and tells where it is, without a slash at the end. */
    readonly serve: (pages: Readonly<Record<string, WebPage>>) => Promise<string>;
    /** A URL of a server that answers, at an address that is forbidden. */
    readonly forbiddenUrl: string;
    readonly close: () => Promise<void>;
  }>;
};

const limits: DownloadLimits = {
  bytesMax: 1_000_000,
  decodedBytesMax: 1_000_000,
  totalMs: 30_000,
  connectMs: 10_000,
  idleMs: 10_000,
  redirectsMax: 3,
};
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at % 251);
const contentOf = (downloaded: Downloaded): Extract<Downloaded, { kind: 'content' }> => {
  if (downloaded.kind !== 'content') throw new Error('no content');
  return downloaded;
};
const drain = async (body: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Uint8Array.from(Buffer.concat(chunks));
};
/** How a body ended, or its length. */
const ending = async (body: AsyncIterable<Uint8Array>): Promise<number | DownloadError['kind']> => {
  try {
    return (await drain(body)).length;
  } catch (cause) {
    if (cause instanceof DownloadInterrupted) return cause.error.kind;
    throw cause;
  }
};

export const downloaderContract = (backend: string, { open }: DownloaderHarness): void => {
  describe(`Downloader contract: ${backend}`, () => {
    let place: Awaited<ReturnType<typeof open>>;
    let site: string;
    const fetch = (path: string, over: Partial<DownloadLimits> = {}) =>
      place.downloader.fetch({ url: `${site}${path}`, limits: { ...limits, ...over } });
    beforeAll(async () => {
      place = await open();
      site = await place.serve({
        '/file': {
          body: bytes(5_000),
          headers: {
            'content-type': 'Image/PNG; charset=binary',
            etag: '"v1"',
            'last-modified': 'Mon, 05 Jan 2026 10:00:00 GMT',
          },
        },
        '/zipped': { body: new Uint8Array(50_000), gzip: true },
        '/cut': { body: bytes(5_000), cutAfter: 2_000 },
        '/gone': { status: 410 },
        '/moved': { status: 302, headers: { location: '/file' } },
        '/one': { status: 301, headers: { location: '/two' } },
        '/two': { status: 307, headers: { location: '/three' } },
        '/three': { status: 308, headers: { location: '/moved' } },
        '/loop': { status: 302, headers: { location: '/loop' } },
        '/inside': { status: 302, headers: { location: place.forbiddenUrl } },
        '/elsewhere': { status: 302, headers: { location: 'ftp://example.org/file' } },
      });
    });
    afterAll(() => place.close());

    test('[P2] returns the headers and the whole body', async () => {
      const content = contentOf((await fetch('/file'))._unsafeUnwrap());
      const { body, ...told } = content;
      expect(told).toEqual({
        kind: 'content',
        url: `${site}/file`,
        contentType: 'image/png',
        etag: '"v1"',
        lastModified: 'Mon, 05 Jan 2026 10:00:00 GMT',
      });
      expect(await drain(body)).toEqual(bytes(5_000));
    });
    test('[P2] content that the caller has and that did not change is not sent again', async () => {
      const ask = (etag: string) => place.downloader.fetch({ url: `${site}/file`, limits, known: { etag } });
      expect(await ask('"v1"')).toEqual(ok({ kind: 'unchanged' }));
      expect(await ending(contentOf((await ask('"v0"'))._unsafeUnwrap()).body)).toBe(5_000);
    });
    test('[P2] a response without content is `HttpStatus`', async () => {
      expect(await fetch('/gone')).toEqual(err({ kind: 'HttpStatus', status: 410 }));
      expect(await fetch('/nowhere')).toEqual(err({ kind: 'HttpStatus', status: 404 }));
    });
    test('[P2] redirects are followed up to the limit', async () => {
      expect(contentOf((await fetch('/moved'))._unsafeUnwrap()).url).toBe(`${site}/file`);
      expect(await ending(contentOf((await fetch('/one', { redirectsMax: 4 }))._unsafeUnwrap()).body)).toBe(
        5_000,
      );
      expect(await fetch('/one')).toEqual(err({ kind: 'TooManyRedirects', redirectsMax: 3 }));
      expect(await fetch('/loop')).toEqual(err({ kind: 'TooManyRedirects', redirectsMax: 3 }));
      expect(await fetch('/moved', { redirectsMax: 0 })).toEqual(
        err({ kind: 'TooManyRedirects', redirectsMax: 0 }),
      );
    });
    test('[P2] a forbidden address is refused, directly and after a redirect', async () => {
      const direct = await place.downloader.fetch({ url: place.forbiddenUrl, limits });
      expect(direct._unsafeUnwrapErr().kind).toBe('ForbiddenAddress');
      expect((await fetch('/inside'))._unsafeUnwrapErr().kind).toBe('ForbiddenAddress');
    });
    test('[P2] only http and https without a password are allowed, also after a redirect', async () => {
      const host = new URL(site).host;
      for (const url of [
        '',
        'file:///etc/passwd',
        'ftp://example.org/',
        `http://me:secret@${host}/file`,
        `http://me@${host}/file`,
      ])
        expect((await place.downloader.fetch({ url, limits }))._unsafeUnwrapErr().kind, url).toBe('BadUrl');
      expect((await fetch('/elsewhere'))._unsafeUnwrapErr().kind).toBe('BadUrl');
    });
    test('[P2] a body above the limit is refused, not cut', async () => {
      const over = await fetch('/file', { bytesMax: 4_999 });
      const kind = over.isErr() ? over.error.kind : await ending(contentOf(over.value).body);
      expect(kind).toBe('DownloadTooLarge');
      expect(await ending(contentOf((await fetch('/file', { bytesMax: 5_000 }))._unsafeUnwrap()).body)).toBe(
        5_000,
      );
    });
    test('[P2] encoded content is decoded within its own limit', async () => {
      const small = { bytesMax: 1_000 };
      expect(await ending(contentOf((await fetch('/zipped', small))._unsafeUnwrap()).body)).toBe(50_000);
      const bomb = contentOf((await fetch('/zipped', { ...small, decodedBytesMax: 49_999 }))._unsafeUnwrap());
      expect(await ending(bomb.body)).toBe('DownloadTooLarge');
    });
    test('[P2] a body that ends early never looks complete', async () => {
      expect(await ending(contentOf((await fetch('/cut'))._unsafeUnwrap()).body)).toBe('Unavailable');
    });
    test('[P2] an abort ends the call', async () => {
      const aborted = await place.downloader.fetch({
        url: `${site}/file`,
        limits,
        signal: AbortSignal.abort(),
      });
      expect(aborted._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: true });
    });
  });
};
