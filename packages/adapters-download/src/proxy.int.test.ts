import { createServer } from 'node:http';
import { connect } from 'node:net';
import { realClock } from '@doska/core/kernel/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowedPlaces } from './address/allowed-places.ts';
import { guardedDownloader } from './guarded-downloader.ts';
import { generous, resolving, textOf } from './testing/probe.ts';
import { selfSigned } from '@doska/test-setup/self-signed';
import { startServer, startTlsWeb, startWeb, type WebServer } from './testing/web-server.ts';

describe('through a proxy', () => {
  const identity = selfSigned('shop.test');
  const asked: (string | undefined)[][] = [];
  let proxy: WebServer;
  let web: WebServer;
  let tlsWeb: WebServer;
  beforeAll(async () => {
    const server = createServer();
    server.on('connect', (request, socket, head) => {
      asked.push([request.url, request.headers['proxy-authorization']]);
      socket.on('error', () => {});
      if (request.url?.endsWith(':1')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      const port = Number(request.url?.split(':').at(-1));
      const onwards = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onwards.write(head);
        onwards.pipe(socket);
        socket.pipe(onwards);
      });
      onwards.on('error', () => socket.destroy());
    });
    proxy = await startServer(server);
    web = await startWeb((request, response) => response.end(`plain ${request.headers.host}`));
    tlsWeb = await startTlsWeb(identity, (request, response) =>
      response.end(`sealed ${request.headers.host}`),
    );
  });
  afterAll(() => Promise.all([proxy, web, tlsWeb].map((server) => server.close())));
  const downloader = (names: Readonly<Record<string, readonly string[]>>) =>
    guardedDownloader({
      clock: realClock,
      resolve: resolving(names),
      proxy: new URL(`http://me:s%40crt@127.0.0.1:${proxy.port}`),
      ca: identity.cert,
    });

  test('[P2] the proxy tunnel goes to the checked address with the requested host name', async () => {
    const there = downloader({ 'shop.test': ['93.184.216.34'] });
    const authorization = `Basic ${Buffer.from('me:s@crt').toString('base64')}`;
    const plain = await there.fetch({ url: `http://shop.test:${web.port}/`, limits: generous });
    expect(await textOf(plain)).toBe(`plain shop.test:${web.port}`);
    const sealed = await there.fetch({ url: `https://shop.test:${tlsWeb.port}/`, limits: generous });
    expect(await textOf(sealed)).toBe(`sealed shop.test:${tlsWeb.port}`);
    expect(asked).toEqual([
      [`93.184.216.34:${web.port}`, authorization],
      [`93.184.216.34:${tlsWeb.port}`, authorization],
    ]);
  });
  test('[P2] a forbidden address is refused before the proxy is contacted, although the proxy itself has a private address', async () => {
    const before = proxy.connections();
    const there = downloader({ 'shop.test': ['10.0.0.1'] });
    const answer = await there.fetch({ url: `http://shop.test:${web.port}/`, limits: generous });
    expect(answer._unsafeUnwrapErr().kind).toBe('ForbiddenAddress');
    expect(proxy.connections()).toBe(before);
  });
  test('[P2] a refusal of the proxy is returned as an error value', async () => {
    const there = downloader({ 'shop.test': ['2606:4700::1111'] });
    const answer = await there.fetch({ url: 'http://shop.test:1/', limits: generous });
    expect(answer._unsafeUnwrapErr()).toMatchObject({
      kind: 'Unavailable',
      what: 'proxy answered 403',
      retryable: false,
    });
    expect(asked.at(-1)?.[0]).toBe('[2606:4700::1111]:1');
  });
  test('[P2] hosts that are allowed by name use the proxy too', async () => {
    const there = guardedDownloader({
      clock: realClock,
      allowed: allowedPlaces(['127.0.0.1'])._unsafeUnwrap(),
      proxy: new URL(`http://127.0.0.1:${proxy.port}`),
    });
    const fetched = await there.fetch({ url: `http://127.0.0.1:${web.port}/`, limits: generous });
    expect(await textOf(fetched)).toBe(`plain 127.0.0.1:${web.port}`);
    expect(asked.at(-1)).toEqual([`127.0.0.1:${web.port}`, undefined]);
  });
});
