import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { brotliCompressSync, createGzip, gzipSync } from 'node:zlib';
import { manualClock, realClock } from '@doska/core/kernel/testing';
import { ok } from 'neverthrow';
import { afterEach, describe, expect, test } from 'vitest';
import { allowedPlaces } from './address/allowed-places.ts';
import { guardedDownloader } from './guarded-downloader.ts';
import { bodyOf, failureIn, generous, textOf } from './testing/probe.ts';
import { startServer, startWeb, type WebServer } from './testing/web-server.ts';

const allowed = allowedPlaces(['127.0.0.1'])._unsafeUnwrap();
const downloader = guardedDownloader({ clock: realClock, allowed });
const open: WebServer[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((server) => server.close()))));
const serving = async (listener: RequestListener): Promise<WebServer> => {
  const server = await startWeb(listener);
  open.push(server);
  return server;
};
const at = ({ port }: WebServer): string => `http://127.0.0.1:${port}/`;
/** A server that answers every connection with these bytes, HTTP or not, and closes it. */
const saying = async (...bytes: readonly string[]): Promise<string> => {
  const server = await startServer(
    createServer((socket) => void socket.once('data', () => socket.end(bytes.join('\r\n')))),
  );
  open.push(server);
  return at(server);
};
const failure = async (url: string, over = {}) =>
  failureIn(await downloader.fetch({ url, limits: { ...generous, ...over } }));

describe('sizes', () => {
  test('[P2] a too large Content-Length is refused before the body is read', async () => {
    const server = await serving((_, response) =>
      response.writeHead(200, { 'content-length': 1e12 }).flushHeaders(),
    );
    const fetched = await downloader.fetch({ url: at(server), limits: generous });
    expect(fetched._unsafeUnwrapErr()).toEqual({
      kind: 'DownloadTooLarge',
      bytesMax: 10_000_000,
      of: 'body',
    });
    await server.closed();
  });
  test('[P2] an endless body ends at the limit, and its connection is closed', async () => {
    const endless = (): Readable =>
      new Readable({
        read() {
          this.push(Buffer.alloc(65_536));
        },
      });
    const server = await serving((_, response) => void endless().pipe(response));
    expect(await failure(at(server))).toEqual({ kind: 'DownloadTooLarge', bytesMax: 10_000_000, of: 'body' });
    await server.closed();
  });
  test('[P2] a decompression bomb ends at the decoded limit', async () => {
    const server = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const bomb = createGzip();
      bomb.pipe(response);
      const fill = (): void => {
        while (!response.destroyed && bomb.write(Buffer.alloc(1 << 20)));
      };
      bomb.on('drain', fill);
      fill();
    });
    const limits = { bytesMax: 100_000, decodedBytesMax: 5_000_000 };
    expect(await failure(at(server), limits)).toEqual({
      kind: 'DownloadTooLarge',
      bytesMax: 5_000_000,
      of: 'decoded',
    });
    await server.closed();
  });
  test('[P2] fewer bytes than announced are an error', async () => {
    const url = await saying('HTTP/1.1 200 OK', 'content-length: 100', '', 'only this');
    expect(await failure(url)).toMatchObject({ kind: 'Unavailable', retryable: true });
  });
  test('[P2] more bytes than announced are an error', async () => {
    const url = await saying('HTTP/1.1 200 OK', 'content-length: 4', '', 'thisand more');
    expect(await textOf(await downloader.fetch({ url, limits: generous }))).toBe('this');
  });
  test('[P2] a body without its last chunk is an error', async () => {
    const url = await saying('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '4', 'this', '');
    expect(await failure(url)).toMatchObject({ kind: 'Unavailable', retryable: true });
  });
});

describe('answers', () => {
  test('[P2] a connection that closes before the response can be retried', async () => {
    const server = await serving((request) => request.socket.destroy());
    expect(await failure(at(server))).toMatchObject({ kind: 'Unavailable', retryable: true });
  });
  test('[P2] a refused connection can be retried', async () => {
    const server = await serving(() => {});
    await server.close();
    expect(await failure(at(server))).toMatchObject({ kind: 'Unavailable', retryable: true });
  });
  test.each([
    ['no HTTP', ['SSH-2.0-OpenSSH_9.6', '']],
    ['two lengths', ['HTTP/1.1 200 OK', 'content-length: 4', 'content-length: 5', '', 'this']],
    ['endless headers', ['HTTP/1.1 200 OK', `x: ${'x'.repeat(20_000)}`, '', 'this']],
    [
      'an encoding that was not requested',
      ['HTTP/1.1 200 OK', 'content-encoding: zstd', 'content-length: 4', '', 'this'],
    ],
    [
      'an encoding that is a lie',
      ['HTTP/1.1 200 OK', 'content-encoding: gzip', 'content-length: 4', '', 'this'],
    ],
    ['two encodings', ['HTTP/1.1 200 OK', 'content-encoding: gzip, gzip', 'content-length: 4', '', 'this']],
  ])('[P2] %s is a bad response', async (_name, lines) => {
    expect((await failure(await saying(...lines))).kind).toBe('BadResponse');
  });
  test('[P2] truncated gzip is a bad response, even if the HTTP body is complete', async () => {
    const half = gzipSync(Buffer.alloc(1_000, 'abc')).subarray(0, -10);
    const server = await serving((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(half),
    );
    expect((await failure(at(server))).kind).toBe('BadResponse');
  });
  test('[P2] brotli is decoded', async () => {
    const server = await serving((_, response) =>
      response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync('many words')),
    );
    expect(await textOf(await downloader.fetch({ url: at(server), limits: generous }))).toBe('many words');
  });
  test('[P2] a known date makes the request conditional, and an unexpected 304 is `HttpStatus`', async () => {
    const lastModified = 'Mon, 05 Jan 2026 10:00:00 GMT';
    const server = await serving((request, response) =>
      response.writeHead(request.headers['if-modified-since'] === lastModified ? 304 : 200).end(),
    );
    const url = at(server);
    expect(await downloader.fetch({ url, limits: generous, known: { lastModified } })).toEqual(
      ok({ kind: 'unchanged' }),
    );
    const unasked = await serving((_, response) => response.writeHead(304).end());
    expect(await failure(at(unasked))).toEqual({ kind: 'HttpStatus', status: 304 });
  });
  test.each([
    ['120', 120_000],
    [new Date(1_030_000).toUTCString(), 30_000],
    ['soon', undefined],
  ])('[P2] retry after %s', async (after, retryAfterMs) => {
    const server = await serving((_, response) => response.writeHead(503, { 'retry-after': after }).end());
    const patient = guardedDownloader({ clock: manualClock(1_000_000).clock, allowed });
    expect(await failureIn(await patient.fetch({ url: at(server), limits: generous }))).toEqual({
      kind: 'HttpStatus',
      status: 503,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  });
  test('[P2] a redirect without a location is `HttpStatus`', async () => {
    const server = await serving((_, response) => response.writeHead(302).end());
    expect(await failure(at(server))).toEqual({ kind: 'HttpStatus', status: 302 });
  });
});

describe('time', () => {
  const limits = { ...generous, connectMs: 100, idleMs: 200, totalMs: 1_000 };
  const timed = (listener: RequestListener) => {
    const time = manualClock();
    const slow = guardedDownloader({ clock: time.clock, allowed });
    return serving(listener).then((server) => ({
      time,
      server,
      fetch: () => slow.fetch({ url: at(server), limits }),
    }));
  };
  /** Lets time pass until the download is over; how fast the machine is doesn't matter. */
  const passing = async <T>(
    time: ReturnType<typeof manualClock>,
    work: Promise<T>,
    stepMs: number,
  ): Promise<T> => {
    let over = false;
    void work.finally(() => (over = true));
    while (!over) {
      await time.advance(stepMs);
      await turn();
    }
    return work;
  };

  test('[P2] a server that never answers times out', async () => {
    let asked = (): void => {};
    const wasAsked = new Promise<void>((resolve) => (asked = resolve));
    const { time, server, fetch } = await timed(() => asked());
    const fetching = fetch();
    await wasAsked;
    await time.advance(200);
    expect((await fetching)._unsafeUnwrapErr()).toEqual({
      kind: 'DownloadTimedOut',
      phase: 'idle',
      limitMs: 200,
    });
    await server.closed();
    expect(time.pending()).toBe(0);
  });
  test('[P2] a server that stops sending times out', async () => {
    const { time, server, fetch } = await timed((_, response) => void response.write('some'));
    const body = bodyOf(await fetch())[Symbol.asyncIterator]();
    expect((await body.next()).done).toBe(false);
    const next = body.next();
    const failing = expect(next).rejects.toMatchObject({
      error: { kind: 'DownloadTimedOut', phase: 'idle', limitMs: 200 },
    });
    await time.advance(200);
    await failing;
    await server.closed();
    expect(time.pending()).toBe(0);
  });
  test('[P2] a server that sends slowly without end is stopped by the total time', async () => {
    const dripping = await timed((_, response) => {
      const drip = (): unknown => response.destroyed || response.write('.', () => setImmediate(drip));
      drip();
    });
    const fetched = await dripping.fetch();
    const reading = (async () => {
      for await (const _ of bodyOf(fetched)) await dripping.time.advance(150);
    })();
    await expect(reading).rejects.toMatchObject({
      error: { kind: 'DownloadTimedOut', phase: 'total', limitMs: 1_000 },
    });
    await dripping.server.closed();
  });
  test('[P2] a slow reader does not count as a silent server', async () => {
    const { time, fetch } = await timed((_, response) => void response.end(Buffer.alloc(3_000_000)));
    let bytes = 0;
    let rests = 0;
    for await (const chunk of bodyOf(await fetch())) {
      bytes += chunk.length;
      if (rests++ < 3) await time.advance(300);
    }
    expect(bytes).toBe(3_000_000);
    expect(time.pending()).toBe(0);
  });
  test('[P2] a server that never completes TLS times out', async () => {
    const silent = await startServer(createServer(() => {}));
    open.push(silent);
    const time = manualClock();
    const slow = guardedDownloader({ clock: time.clock, allowed });
    const fetching = slow.fetch({ url: `https://127.0.0.1:${silent.port}/`, limits });
    expect((await passing(time, Promise.resolve(fetching), 1))._unsafeUnwrapErr()).toEqual({
      kind: 'DownloadTimedOut',
      phase: 'connect',
      limitMs: 100,
    });
  });
  test('[P2] a DNS resolver that never answers times out', async () => {
    const time = manualClock();
    const slow = guardedDownloader({ clock: time.clock, resolve: () => new Promise(() => {}) });
    const fetching = slow.fetch({ url: 'http://shop.test/', limits });
    await time.advance(100);
    expect((await fetching)._unsafeUnwrapErr()).toMatchObject({ kind: 'DownloadTimedOut', phase: 'connect' });
    expect(time.pending()).toBe(0);
  });
  test('[P2] an unread body releases its connection after the total time', async () => {
    const { time, server, fetch } = await timed((_, response) => void response.write('some'));
    expect((await fetch()).isOk()).toBe(true);
    await time.advance(1_000);
    await server.closed();
    expect(time.pending()).toBe(0);
  });
  test('[P2] a reader that stops early releases its connection', async () => {
    const { time, server, fetch } = await timed((_, response) => void response.write('some'));
    for await (const _ of bodyOf(await fetch())) break;
    await server.closed();
    expect(time.pending()).toBe(0);
  });
  test('[P2] an abort ends a running download', async () => {
    const server = await serving((_, response) => void response.write('some'));
    const stop = new AbortController();
    const fetched = await downloader.fetch({ url: at(server), limits: generous, signal: stop.signal });
    const body = bodyOf(fetched)[Symbol.asyncIterator]();
    await body.next();
    const next = expect(body.next()).rejects.toMatchObject({
      error: { kind: 'Unavailable', retryable: true },
    });
    stop.abort();
    await next;
    await server.closed();
  });
});
