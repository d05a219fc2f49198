import { downloaderContract, realClock } from '@doska/core/kernel/testing';
import { err } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowedPlaces } from './address/allowed-places.ts';
import { guardedDownloader } from './guarded-downloader.ts';
import { generous, resolving, textOf } from './testing/probe.ts';
import { selfSigned } from '@doska/test-setup/self-signed';
import { pages, startTlsWeb, startWeb, type WebServer } from './testing/web-server.ts';

downloaderContract('guarded', {
  open: async () => {
    const servers: WebServer[] = [];
    const secret = await startWeb(pages({ '/': { body: Buffer.from('secret') } }));
    servers.push(secret);
    return {
      downloader: guardedDownloader({
        clock: realClock,
        allowed: allowedPlaces(['shop.test'])._unsafeUnwrap(),
        resolve: resolving({ 'shop.test': ['127.0.0.1'] }),
      }),
      serve: async (all) => {
        const server = await startWeb(pages(all));
        servers.push(server);
        return `http://shop.test:${server.port}`;
      },
      forbiddenUrl: `http://127.0.0.1:${secret.port}/`,
      close: async () => void (await Promise.all(servers.map((server) => server.close()))),
    };
  },
});

describe('allowed addresses', () => {
  let inside: WebServer;
  beforeAll(async () => {
    inside = await startWeb(pages({ '/': { body: Buffer.from('secret') } }));
  });
  afterAll(() => inside.close());
  const guarded = (names: Readonly<Record<string, readonly string[]>> = {}, ports?: readonly number[]) =>
    guardedDownloader({ clock: realClock, resolve: resolving(names), ...(ports ? { ports } : {}) });

  test.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f.1',
    'http://2130706433',
    'http://0177.0.0.1',
    'http://0.0.0.0',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://[64:ff9b::127.0.0.1]',
    'http://169.254.169.254',
    'https://10.0.0.1',
  ])('[P2] %s is refused without a connection', async (origin) => {
    const answer = await guarded().fetch({ url: `${origin}:${inside.port}/`, limits: generous });
    expect(answer._unsafeUnwrapErr().kind).toBe('ForbiddenAddress');
    expect(inside.connections()).toBe(0);
  });
  test.each([['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['2606:4700::1111', '::ffff:10.0.0.1']])(
    '[P2] a host that resolves to %s %s is refused',
    async (...addresses) => {
      const url = `http://shop.test:${inside.port}/`;
      expect(await guarded({ 'shop.test': addresses }).fetch({ url, limits: generous })).toEqual(
        err({ kind: 'ForbiddenAddress', host: 'shop.test', address: addresses.at(-1) }),
      );
      expect(inside.connections()).toBe(0);
    },
  );
  test('[P2] localhost, as the system knows it, is refused', async () => {
    const answer = await guardedDownloader({ clock: realClock }).fetch({
      url: `http://localhost:${inside.port}/`,
      limits: generous,
    });
    expect(answer._unsafeUnwrapErr()).toMatchObject({ kind: 'ForbiddenAddress', host: 'localhost' });
  });
  test('[P2] a port that is not allowed is refused before anything is sent', async () => {
    const downloader = guarded({ 'shop.test': ['93.184.216.34'] }, [80, 443]);
    const answer = await downloader.fetch({ url: 'http://shop.test:25/', limits: generous });
    expect(answer._unsafeUnwrapErr()).toMatchObject({ kind: 'BadUrl', reason: 'port 25 is not allowed' });
  });
  test('[P2] a host without DNS entries or addresses is an unknown host', async () => {
    for (const names of [{}, { 'shop.test': [] }])
      expect(await guarded(names).fetch({ url: 'http://shop.test/', limits: generous })).toEqual(
        err({ kind: 'UnknownHost', host: 'shop.test' }),
      );
  });
  test('[P2] user and password of a URL are not in the error', async () => {
    const answer = await guarded().fetch({ url: 'http://me:hunter2@shop.test/x', limits: generous });
    expect(JSON.stringify(answer._unsafeUnwrapErr())).not.toMatch(/hunter2|me:/);
  });
});

describe('the connection', () => {
  const allowed = allowedPlaces(['127.0.0.1'])._unsafeUnwrap();
  test('[P2] the connection goes to the checked address, because the name is resolved once', async () => {
    const server = await startWeb((request, response) => response.end(request.headers.host));
    const asked: string[] = [];
    // A name under an attacker's control: fine when it is checked, the metadata service a moment later.
    const resolve = async (host: string): Promise<readonly string[]> => {
      asked.push(host);
      return asked.length === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
    };
    const downloader = guardedDownloader({ clock: realClock, allowed, resolve });
    const first = await downloader.fetch({ url: `http://rebind.test:${server.port}/`, limits: generous });
    expect(await textOf(first)).toBe(`rebind.test:${server.port}`);
    expect(asked).toEqual(['rebind.test']);
    const second = await downloader.fetch({ url: `http://rebind.test:${server.port}/`, limits: generous });
    expect(second._unsafeUnwrapErr()).toMatchObject({ kind: 'ForbiddenAddress', address: '169.254.169.254' });
    await server.close();
  });
  test('[P2] every redirect is resolved and checked again', async () => {
    const server = await startWeb((_request, response) =>
      response.writeHead(302, { location: 'http://metadata.test/latest' }).end(),
    );
    const resolve = resolving({ 'shop.test': ['127.0.0.1'], 'metadata.test': ['169.254.169.254'] });
    const downloader = guardedDownloader({ clock: realClock, allowed, resolve });
    expect(await downloader.fetch({ url: `http://shop.test:${server.port}/`, limits: generous })).toEqual(
      err({ kind: 'ForbiddenAddress', host: 'metadata.test', address: '169.254.169.254' }),
    );
    await server.close();
  });
  test('[P2] TLS uses the requested host name and accepts no other certificate', async () => {
    const identity = selfSigned('shop.test');
    const server = await startTlsWeb(identity, (request, response) => {
      const { servername } = request.socket as unknown as { readonly servername: string };
      response.end(`${servername} ${request.headers.host}`);
    });
    const resolve = resolving({ 'shop.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'] });
    const downloader = guardedDownloader({ clock: realClock, allowed, resolve, ca: identity.cert });
    const right = await downloader.fetch({ url: `https://shop.test:${server.port}/`, limits: generous });
    expect(await textOf(right)).toBe(`shop.test shop.test:${server.port}`);
    for (const wrong of [
      downloader.fetch({ url: `https://other.test:${server.port}/`, limits: generous }),
      downloader.fetch({ url: `https://127.0.0.1:${server.port}/`, limits: generous }),
      guardedDownloader({ clock: realClock, allowed, resolve }).fetch({
        url: `https://shop.test:${server.port}/`,
        limits: generous,
      }),
    ])
      expect((await wrong)._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: false });
    await server.close();
  });
});
