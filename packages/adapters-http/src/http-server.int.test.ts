import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invalidInput, unavailable, type Access } from '@doska/core/kernel';
import express from 'express';
import { err, ok, type Result } from 'neverthrow';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { HotRoute } from './hot-route.ts';
import { staticMount } from './static-mount.ts';
import { operators, route, served, start, type Served } from './testing/served.ts';

let open: Served | undefined;
const serve = async (...args: Parameters<typeof served>): Promise<Served> => (open = await served(...args));
afterEach(async () => {
  await open?.server.stop(500);
  open = undefined;
});

test('[B16] a route is given its parameters, query, body and caller', async () => {
  const { ask } = await serve([route()]);
  const { status, json, headers } = await ask('POST', '/echo/a%20b?x=1&x=2', { body: '{"y":[1]}' });
  expect({ status, json }).toEqual({
    status: 200,
    json: {
      params: { id: 'a b' },
      query: [
        ['x', '1'],
        ['x', '2'],
      ],
      body: { y: [1] },
      subject: 'ann',
    },
  });
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.has('x-powered-by')).toBe(false);
});

test('[B17] a route without a declared access keeps the server from starting, and is named', async () => {
  const undeclared = { ...route(), access: undefined } as unknown as ReturnType<typeof route>;
  const mount = { path: '/console', router: express.Router() } as unknown as {
    path: string;
    access: never;
    router: express.Router;
  };
  const { started } = start([route({ path: '/fine' }), undeclared], { mounts: [mount] });
  expect(await started).toEqual(err({ kind: 'AccessUndeclared', routes: ['POST /echo/:id', '/console/*'] }));
});

test.each([
  { name: 'no token', authorization: '', status: 401, kind: 'Unauthenticated' },
  { name: 'a bad token', authorization: 'Bearer eve', status: 401, kind: 'Unauthenticated' },
  { name: 'another scheme', authorization: 'Basic b3A=', status: 401, kind: 'Unauthenticated' },
  { name: 'another role', authorization: 'Bearer seller', status: 403, kind: 'PermissionDenied' },
])('[B17] $name is $status, before the body is looked at', async ({ authorization, status, kind }) => {
  const { ask } = await serve([route()]);
  const answer = await ask('POST', '/echo/1', { headers: { authorization }, body: 'not json' });
  expect(answer).toMatchObject({ status, json: { status, kind, requestId: 'id-1' } });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
});

test('[B17] a public route is limited per IP, and a client can not choose the IP with a header', async () => {
  const { ask } = await serve([route({ method: 'GET', access: { public: { ratePerMinute: 2 } } })]);
  const from = (address: string) =>
    ask('GET', '/echo/1', { headers: { authorization: '', 'x-forwarded-for': address } });
  expect([(await from('192.0.2.1')).status, (await from('192.0.2.2')).status]).toEqual([200, 200]);
  const refused = await from('192.0.2.3');
  expect(refused).toMatchObject({ status: 429, json: { kind: 'TooManyRequests' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await ask('GET', '/echo/1')).status).toBe(200);
});

test('[B17] behind a proxy of ours the address is the one the proxy saw', async () => {
  const { ask } = await serve([route({ method: 'GET', access: { public: { ratePerMinute: 1 } } })], {
    trustedProxies: 1,
  });
  const from = async (chain: string) =>
    (await ask('GET', '/echo/1', { headers: { authorization: '', 'x-forwarded-for': chain } })).status;
  expect([
    await from('6.6.6.6, 192.0.2.1'),
    await from('7.7.7.7, 192.0.2.1'),
    await from('6.6.6.6, 192.0.2.2'),
  ]).toEqual([200, 429, 200]);
});

test('[B16] typed errors are problems, and tell nothing of ours', async () => {
  const violations = [{ path: 'title', code: 'Required', message: 'a title is needed' }];
  const answers: Record<string, Result<never, { kind: string }>> = {
    invalid: err(invalidInput(...violations)),
    missing: err({ kind: 'DraftNotFound' }),
    away: err(unavailable('pg 10.0.0.7 secret')),
    broken: err(unavailable('pg 10.0.0.7 secret', undefined, false)),
    unmapped: err({ kind: 'UnmappedError' }),
  };
  const { ask, lines } = await serve([
    route({ handle: async ({ params }) => answers[params['id']!]!, errors: { DraftNotFound: 'NOT_FOUND' } }),
  ]);
  const said = async (id: string) => (await ask('POST', `/echo/${id}`)).json;
  expect(await said('invalid')).toEqual({
    type: 'urn:doska:problem:InvalidInput',
    title: 'Bad Request',
    status: 400,
    kind: 'InvalidInput',
    violations,
    requestId: 'id-1',
  });
  expect(await said('missing')).toMatchObject({ status: 404, kind: 'DraftNotFound' });
  expect(await said('away')).toMatchObject({ status: 503, kind: 'Unavailable' });
  expect(await said('broken')).toMatchObject({ status: 500, kind: 'Unavailable' });
  expect(await said('unmapped')).toMatchObject({ status: 500, kind: 'Internal' });
  await expect.poll(() => lines.map(({ level }) => level)).toEqual(['info', 'info', 'warn', 'warn', 'error']);
});

test('[B16] an exception is a problem with the id of the request, logged once', async () => {
  const { ask, lines } = await serve([
    route({
      handle: () => {
        throw new Error('secret plan');
      },
    }),
  ]);
  const answer = await ask('POST', '/echo/1', { headers: { 'x-request-id': 'req-7' } });
  expect(answer).toMatchObject({ status: 500, json: { kind: 'Internal', requestId: 'req-7' } });
  expect(answer.headers.get('x-request-id')).toBe('req-7');
  expect(answer.text).not.toContain('secret');
  await expect
    .poll(() => lines)
    .toEqual([
      expect.objectContaining({ level: 'error', requestId: 'req-7', error: new Error('secret plan') }),
    ]);
});

test.each([
  { name: 'no JSON', init: { body: '{' }, status: 400, kind: 'Malformed' },
  {
    name: 'another type',
    init: { body: 'x', headers: { 'content-type': 'text/plain' } },
    status: 415,
    kind: 'UnsupportedMediaType',
  },
  { name: 'too large', init: { body: JSON.stringify('x'.repeat(2_000)) }, status: 413, kind: 'BodyTooLarge' },
])('[B16] a body that is $name is $status', async ({ init, status, kind }) => {
  const { ask } = await serve([route({ bytesMax: 1_000 })]);
  expect(await ask('POST', '/echo/1', init)).toMatchObject({ status, json: { kind } });
});

test.each([
  { name: 'an unknown path', method: 'GET', path: '/nowhere', status: 404, kind: 'NotFound' },
  { name: 'an unknown method', method: 'DELETE', path: '/echo/1', status: 405, kind: 'MethodNotAllowed' },
  {
    name: 'a path that can not be decoded',
    method: 'POST',
    path: '/echo/%ff',
    status: 400,
    kind: 'BadRequest',
  },
])('[B16] $name is a problem', async ({ method, path, status, kind }) => {
  const { ask } = await serve([route()]);
  const answer = await ask(method, path);
  expect(answer).toMatchObject({ status, json: { kind } });
  if (status === 405) expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
});

test('[B18] every request is a line with its ids, is counted by its route, and continues its trace', async () => {
  const { ask, lines, counts, parents } = await serve([route()]);
  await ask('POST', '/echo/1?token=hush', { headers: { traceparent: '00-a' } });
  await ask('GET', '/a/b/c');
  await expect
    .poll(() => lines)
    .toMatchObject([
      {
        level: 'info',
        message: 'http request',
        method: 'POST',
        path: '/echo/1',
        route: 'POST /echo/:id',
        status: 200,
        requestId: 'id-1',
        caller: 'ann',
        address: '127.0.0.1',
      },
      { route: 'unmatched', status: 404 },
    ]);
  expect(JSON.stringify(lines)).not.toContain('hush');
  expect(counts.get('doska_http_requests_total POST POST /echo/:id 200')).toBe(1);
  expect(counts.get('doska_http_requests_total GET unmatched 404')).toBe(1);
  expect(parents[0]).toEqual({ traceparent: '00-a' });
});

test('[B16] pages are served under one access', async () => {
  const router = express
    .Router()
    .get('/page', (_request, response) => void response.type('html').send('<p>hello</p>'));
  const { ask } = await serve([], {
    mounts: [{ path: '/console', access: { roles: ['operator'] }, router }],
  });
  expect(await ask('GET', '/console/page')).toMatchObject({ status: 200, text: '<p>hello</p>' });
  expect((await ask('GET', '/console/page', { headers: { authorization: '' } })).status).toBe(401);
  expect((await ask('GET', '/console/none')).status).toBe(404);
});

const hotAt =
  (path: string, access: Access): HotRoute =>
  (request, response, kit) => {
    if (request.url !== path) return false;
    void kit.admit(request, `GET ${path}`, access).then((caller) => {
      const status = caller.match(
        ({ subject }) => response.end(subject).statusCode,
        (error) => kit.refuse(request, response, error),
      );
      kit.observe('GET', `GET ${path}`, status, 1);
    });
    return true;
  };
test('[B16] [H5] hot routes answer before Express and are admitted and counted like any other', async () => {
  const { ask, counts } = await serve([], { hot: [hotAt('/hot', operators), hotAt('/hotter', operators)] });
  for (const path of ['/hot', '/hotter']) {
    expect(await ask('GET', path)).toMatchObject({ status: 200, text: 'ann' });
    expect(await ask('GET', path, { headers: { authorization: '', 'x-request-id': 'mine' } })).toMatchObject({
      status: 401,
      json: { kind: 'Unauthenticated', requestId: 'mine' },
    });
    expect(counts.get(`doska_http_requests_total GET GET ${path} 200`)).toBe(1);
    expect(counts.get(`doska_http_requests_total GET GET ${path} 401`)).toBe(1);
  }
  expect((await ask('GET', '/cold')).status).toBe(404);
});
test('[H5] an error of a hot route that no table knows is 500, tells nothing and is logged', async () => {
  const broken: HotRoute = (request, response, kit) => {
    kit.refuse(request, response, { kind: 'Secret' });
    return true;
  };
  const { ask, lines } = await serve([], { hot: [broken] });
  expect(await ask('GET', '/')).toMatchObject({ status: 500, json: { kind: 'Internal' } });
  expect(lines).toMatchObject([{ level: 'error', error: { kind: 'Secret' } }]);
});
test('[H5] a static mount serves the files of a folder, and nothing beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'doska-static-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'public'));
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'public/.hidden'), 'hidden');
  writeFileSync(join(folder, 'public/index.html'), '<p>hello</p>');
  const { ask } = await serve([], { mounts: [staticMount('/console', join(folder, 'public'), operators)] });
  const page = await ask('GET', '/console/');
  expect(page).toMatchObject({ status: 200, text: '<p>hello</p>' });
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect((await ask('HEAD', '/console/index.html')).status).toBe(200);
  expect((await ask('GET', '/console/', { headers: { authorization: '' } })).status).toBe(401);
  for (const path of ['/console/.hidden', '/console/%2e%2e/secret.txt', '/console/..%2fsecret.txt'])
    expect((await ask('GET', path)).text).not.toMatch(/^(secret|hidden)/);
  expect((await ask('GET', '/console/none')).status).toBe(404);
});

test('[B16] content is sent as it is, streams too, and a HEAD has no body', async () => {
  async function* parts(): AsyncIterable<Uint8Array> {
    yield Buffer.from('one ');
    yield Buffer.from('two');
  }
  const reply = (content: string | AsyncIterable<Uint8Array>) =>
    ok({ status: 200, contentType: 'text/plain', content });
  const { ask } = await serve([
    route({ method: 'GET', path: '/stream', handle: async () => reply(parts()) }),
    route({ method: 'GET', path: '/text', handle: async () => reply('text') }),
    route({ method: 'DELETE', path: '/none', handle: async () => ok({ status: 204 }) }),
  ]);
  expect(await ask('GET', '/stream')).toMatchObject({ status: 200, text: 'one two' });
  expect(await ask('HEAD', '/text')).toMatchObject({ status: 200, text: '' });
  expect(await ask('DELETE', '/none')).toMatchObject({ status: 204, text: '' });
});
