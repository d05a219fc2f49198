import { gunzipSync, gzipSync } from 'node:zlib';
import { unavailable } from '@doska/core/kernel';
import { err, ok } from 'neverthrow';
import { afterEach, expect, test } from 'vitest';
import { answered, asJson, catalog, offers, stages } from '../testing/offers.ts';
import { served, type Served } from '../testing/served.ts';

let open: Served | undefined;
const serve = async (...args: Parameters<typeof served>): Promise<Served> => (open = await served(...args));
afterEach(async () => {
  await open?.server.stop(500);
  open = undefined;
});

/** An offer service that tells what it was asked. */
const listening = () => {
  const asked: unknown[] = [];
  const hear = async (request: unknown) => {
    asked.push(request);
    return answered();
  };
  const service = offers({
    handlers: { hideOffer: hear, editOffer: hear, sellOffer: hear, removeOffer: hear as never },
    http: { editOffer: { version: ({ offer }) => offer?.version } },
    errors: { StaleVersion: 'ABORTED' },
  });
  return { asked, service };
};

test('[H1] [H3] path and body make the request, and the answer shows every field', async () => {
  const { asked, service } = listening();
  const { ask } = await serve([], asJson(service));
  const answer = await ask('POST', '/v1/offers/A%2F1:sell', { body: '{"on_platform":true,"commandId":"c"}' });
  expect(asked).toEqual([{ offerId: 'A/1', onPlatform: true, commandId: 'c' }]);
  expect(answer).toMatchObject({
    status: 200,
    json: {
      offer: {
        offerId: 'A',
        version: '7',
        updatedAtUs: '1',
        status: 'OFFER_STATUS_HIDDEN',
        changed: true,
      },
    },
  });
  expect((await ask('POST', '/v1/offers/A:hide')).status).toBe(200);
  expect(asked[1]).toEqual({ offerId: 'A', commandId: '' });
});

test('[H3] a query gives numbers, names, lists and defaults', async () => {
  const asked: unknown[] = [];
  const service = catalog({
    handlers: {
      batchGetCategories: async (request) => {
        asked.push(request);
        return ok({ version: 3, details: [], unknownIds: ['b'] });
      },
    },
  });
  const { ask } = await serve([], asJson(service));
  const answer = await ask(
    'GET',
    '/v1/catalog/categories:batchGet?ids=a&ids=b&version=3&language=LANGUAGE_EN',
  );
  expect(asked).toEqual([{ ids: ['a', 'b'], version: 3, language: 2 }]);
  expect(answer.json).toEqual({ version: 3, details: [], unknownIds: ['b'] });
  await ask('GET', '/v1/catalog/categories:batchGet?ids=a&language=1');
  expect(asked[1]).toEqual({ ids: ['a'], version: 0, language: 1 });
});

test.each([
  { name: 'an unknown field', body: '{"text":{"titel":"x"}}', path: 'text.titel', code: 'UnknownField' },
  { name: 'a wrong type', body: '{"text":{"title":5}}', path: 'text.title', code: 'WrongValue' },
  { name: 'a list that is none', body: '{"text":{"photos":"x"}}', path: 'text.photos', code: 'WrongValue' },
  { name: 'an element', body: '{"text":{"photos":["a",7]}}', path: 'text.photos[1]', code: 'WrongValue' },
  { name: 'a null element', body: '{"text":{"photos":[null]}}', path: 'text.photos[0]', code: 'WrongValue' },
  {
    name: 'a number out of range',
    body: '{"text":{"price":{"minorUnits":"9223372036854775808"}}}',
    path: 'text.price.minor_units',
    code: 'WrongValue',
  },
  {
    name: 'a negative version',
    body: '{"expectedVersion":-1}',
    path: 'expected_version',
    code: 'WrongValue',
  },
  { name: 'a fraction', body: '{"expectedVersion":1.5}', path: 'expected_version', code: 'WrongValue' },
  {
    name: 'half a symbol',
    body: '{"text":{"title":"\\ud800"}}',
    path: 'text.title',
    code: 'WrongValue',
  },
  {
    name: 'a field twice',
    body: '{"categoryId":"a","category_id":"b"}',
    path: 'category_id',
    code: 'Duplicate',
  },
  {
    name: 'two of a oneof',
    body: '{"text":{"attributes":[{"values":[{"text":"a","flag":true}]}]}}',
    path: 'text.attributes[0].values[0].flag',
    code: 'Duplicate',
  },
  { name: 'another id than the path', body: '{"offerId":"B"}', path: 'offer_id', code: 'Contradiction' },
  { name: 'a prototype', body: '{"__proto__":{"offerId":"B"}}', path: '__proto__', code: 'UnknownField' },
  { name: 'a list as the body', body: '[]', path: '', code: 'WrongType' },
  { name: 'no JSON', body: '{', path: '', code: 'NotJson' },
])('[H3] $name is 400 and named', async ({ body, path, code }) => {
  const { asked, service } = listening();
  const { ask } = await serve([], asJson(service));
  const answer = await ask('PUT', '/v1/offers/A', { body });
  expect(answer).toMatchObject({ status: 400, json: { kind: 'InvalidInput', violations: [{ path, code }] } });
  expect(asked).toEqual([]);
});

test.each([
  { name: 'an unknown parameter', query: 'pagesize=1', path: 'pagesize', code: 'UnknownField' },
  { name: 'no number', query: 'version=x', path: 'version', code: 'WrongValue' },
  { name: 'a number too large', query: 'version=4294967296', path: 'version', code: 'WrongValue' },
  { name: 'an unknown name', query: 'language=RU', path: 'language', code: 'WrongValue' },
  { name: 'a value twice', query: 'version=1&version=2', path: 'version', code: 'Duplicate' },
  { name: 'a field of a number', query: 'version.x=1', path: 'version.x', code: 'UnknownField' },
])('[H3] $name in the query is 400 and named', async ({ query, path, code }) => {
  const { ask } = await serve([], asJson(catalog()));
  const answer = await ask('GET', `/v1/catalog/tree?${query}`);
  expect(answer).toMatchObject({ status: 400, json: { violations: [{ path, code }] } });
});
test('[H3] a method that takes a body takes no query', async () => {
  const { ask } = await serve([], asJson(offers()));
  expect(await ask('POST', '/v1/offers/A:hide?commandId=c')).toMatchObject({
    status: 400,
    json: { violations: [{ path: 'commandId', code: 'UnknownField' }] },
  });
});

test.each([
  { name: 'no token', authorization: '', status: 401, kind: 'Unauthenticated' },
  { name: 'another role', authorization: 'Bearer seller', status: 403, kind: 'PermissionDenied' },
])('[H2] $name is $status before the body is looked at', async ({ authorization, status, kind }) => {
  const { ask } = await serve([], asJson(offers()));
  const answer = await ask('PUT', '/v1/offers/A', { headers: { authorization }, body: 'not json' });
  expect(answer).toMatchObject({ status, json: { kind, requestId: 'id-1' } });
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
});

test('[H2] typed errors are problems with the reason as their kind, and tell nothing of ours', async () => {
  const errors = {
    missing: { kind: 'NotFound', message: 'there is no such offer' },
    away: unavailable('pg 10.0.0.7 secret'),
    unmapped: { kind: 'UnmappedError' },
  };
  const service = offers({
    handlers: { getOffer: async ({ offerId }) => err(errors[offerId as keyof typeof errors]) },
  });
  const { ask, lines } = await serve([], asJson(service));
  const headers = { 'x-request-id': 'req-7' };
  expect(await ask('GET', '/v1/offers/missing', { headers })).toMatchObject({
    status: 404,
    json: {
      type: 'urn:doska:problem:NotFound',
      title: 'Not Found',
      status: 404,
      kind: 'NotFound',
      detail: 'there is no such offer',
      requestId: 'req-7',
    },
  });
  const away = await ask('GET', '/v1/offers/away');
  expect(away).toMatchObject({ status: 503, json: { kind: 'Unavailable' } });
  expect(away.headers.get('retry-after')).toBe('1');
  expect(away.text).not.toContain('secret');
  expect(await ask('GET', '/v1/offers/unmapped')).toMatchObject({ status: 500, json: { kind: 'Internal' } });
  await expect.poll(() => lines.map(({ level }) => level)).toEqual(['info', 'warn', 'error']);
  expect(lines[0]).toMatchObject({
    method: '/doska.gost.v1.OfferService/GetOffer',
    route: 'GET /v1/offers/{offer_id}',
    code: 'NOT_FOUND',
    requestId: 'req-7',
    caller: 'ann',
  });
});

test('[H2] a call that takes too long is 504, and its handler is told', async () => {
  let aborted = false;
  const service = offers({
    handlers: {
      getOffer: (_request, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => (aborted = true))),
    },
  });
  const { ask } = await serve([], { ...asJson(service), limits: { callMsMax: 100 } });
  expect(await ask('GET', '/v1/offers/A')).toMatchObject({ status: 504, json: { kind: 'DeadlineExceeded' } });
  expect(aborted).toBe(true);
});

test('[H2] a body beyond the bound is 413, packed or not, and another type is 415', async () => {
  const { service } = listening();
  const { ask, server } = await serve([], { ...asJson(service), limits: { bodyBytesMax: 1_000 } });
  const large = JSON.stringify({ commandId: 'x'.repeat(2_000) });
  expect(await ask('POST', '/v1/offers/A:hide', { body: large })).toMatchObject({
    status: 413,
    json: { kind: 'BodyTooLarge' },
  });
  const post = (body: Buffer, headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${server.port}/v1/offers/A:hide`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { authorization: 'Bearer operator', ...headers },
    });
  const json = { 'content-type': 'application/json' };
  const gzip = { ...json, 'content-encoding': 'gzip' };
  expect((await post(gzipSync('{"commandId":"c"}'), gzip)).status).toBe(200);
  expect((await post(gzipSync(large), gzip)).status).toBe(413);
  expect((await post(Buffer.from('{}'), gzip)).status).toBe(415);
  expect((await post(Buffer.from('{}'), { 'content-type': 'text/plain' })).status).toBe(415);
});

test('[H5] Idempotency-Key is the id of the command', async () => {
  const { asked, service } = listening();
  const { ask } = await serve([], asJson(service));
  await ask('POST', '/v1/offers/A:hide', { headers: { 'idempotency-key': '"c-1"' } });
  await ask('DELETE', '/v1/offers/A', { headers: { 'idempotency-key': 'c-2' } });
  expect(asked).toEqual([
    { offerId: 'A', commandId: 'c-1' },
    { offerId: 'A', commandId: 'c-2' },
  ]);
  const both = { headers: { 'idempotency-key': 'c-1' }, body: '{"commandId":"c-2"}' };
  expect(await ask('POST', '/v1/offers/A:hide', both)).toMatchObject({
    status: 400,
    json: { violations: [{ path: 'command_id', code: 'Contradiction' }] },
  });
});

test('[H5] If-Match is the expected version and the ETag the version; a stale one is 412', async () => {
  const asked: (bigint | undefined)[] = [];
  const service = offers({
    errors: { StaleVersion: 'ABORTED' },
    handlers: {
      editOffer: async ({ expectedVersion }) => {
        asked.push(expectedVersion);
        return expectedVersion === 6n ? err({ kind: 'StaleVersion' }) : answered();
      },
    },
    http: { editOffer: { version: ({ offer }) => offer?.version } },
  });
  const { ask } = await serve([], asJson(service));
  const edit = (condition: string, body = '{}') =>
    ask('PUT', '/v1/offers/A', { headers: { 'if-match': condition }, body });
  expect((await edit('"5"')).headers.get('etag')).toBe('"7"');
  expect(await edit('"6"')).toMatchObject({ status: 412, json: { kind: 'StaleVersion' } });
  expect((await edit('*')).status).toBe(200);
  expect((await edit('')).status).toBe(200);
  expect(await edit('', '{"expectedVersion":"6"}')).toMatchObject({ status: 409 });
  expect(asked).toEqual([5n, 6n, undefined, undefined, 6n]);
  for (const wrong of ['W/"5"', '5', '"5", "6"', '"x"'])
    expect(await edit(wrong)).toMatchObject({ status: 400, json: { violations: [{ path: 'If-Match' }] } });
  expect(await ask('POST', '/v1/offers/A:hide', { headers: { 'if-match': '"5"' } })).toMatchObject({
    status: 400,
    json: { violations: [{ path: 'If-Match' }] },
  });
});

test('[H5] a known version is not sent again, and public answers may be kept', async () => {
  const version = ({ version }: { version: number | bigint }) => version;
  const everyone = { public: { ratePerMinute: 1_000 } };
  const services = [
    catalog({
      access: { getTree: everyone },
      handlers: { getTree: async () => ok({ version: 4, nodes: [] }) },
      http: { getTree: { version, maxAgeSec: 60 }, getVersion: { version, maxAgeSec: 60 } },
    }),
    stages({
      handlers: { getStage: async () => ok({ version: 9n, state: new Uint8Array([255]) }) },
      http: { getStage: { version } },
    }),
  ];
  const { ask } = await serve([], asJson(...services));
  const tree = await ask('GET', '/v1/catalog/tree');
  expect([tree.headers.get('etag'), tree.headers.get('cache-control')]).toEqual([
    '"4"',
    'public, max-age=60',
  ]);
  const again = await ask('GET', '/v1/catalog/tree', { headers: { 'if-none-match': '"3", W/"4"' } });
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', '"4"']);
  expect((await ask('GET', '/v1/catalog/tree', { headers: { 'if-none-match': '"5"' } })).status).toBe(200);
  const stage = await ask('GET', '/v1/offers/A/stages/s');
  expect(stage.json).toEqual({ version: '9', state: '/w==' });
  expect(stage.headers.get('cache-control')).toBe('private, no-cache');
  expect((await ask('GET', '/v1/offers/A')).headers.get('cache-control')).toBe('no-store');
});

test('[H5] HEAD, OPTIONS and other methods are answered as HTTP wants', async () => {
  const service = catalog({ handlers: { getVersion: async () => ok({ version: 4 }) } });
  const { ask } = await serve([], asJson(service, offers()));
  const head = await ask('HEAD', '/v1/catalog/version');
  expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '13']);
  const options = await ask('OPTIONS', '/v1/offers/A', { headers: { authorization: '' } });
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, PUT, DELETE, HEAD, OPTIONS']);
  const patch = await ask('PATCH', '/v1/offers/A');
  expect([patch.status, patch.headers.get('allow')]).toEqual([405, 'GET, PUT, DELETE, HEAD, OPTIONS']);
  for (const path of ['/v1/offers/A:fly', '/v1/offers/', '/v1/offers/%zz/history', '/v1/nothing', '/v1'])
    expect((await ask('POST', path)).status, path).toBe(path === '/v1/offers/A:fly' ? 405 : 404);
  expect((await ask('GET', '/v1/offers/A:fly')).json).toMatchObject({ kind: 'NotFound' });
});

test('[H5] pages of other origins may call only if they are named', async () => {
  const closed = await serve([], asJson(offers()));
  const origin = 'https://shop.example';
  const none = await closed.ask('GET', '/v1/offers/A', { headers: { origin } });
  expect(none.headers.has('access-control-allow-origin')).toBe(false);
  await closed.server.stop(500);
  const { ask } = await serve([], { ...asJson(offers()), corsOrigins: [origin] });
  const preflight = await ask('OPTIONS', '/v1/offers/A', {
    headers: { origin, authorization: '', 'access-control-request-method': 'PUT' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key');
  const named = await ask('GET', '/v1/offers/A', { headers: { origin } });
  expect(named.headers.get('access-control-allow-origin')).toBe(origin);
  expect(named.headers.get('vary')).toContain('origin');
  const other = await ask('GET', '/v1/offers/A', { headers: { origin: 'https://evil.example' } });
  expect(other.headers.has('access-control-allow-origin')).toBe(false);
});

test('[H5] large answers are packed for clients that take gzip', async () => {
  const offerIds = Array.from({ length: 500 }, (_, n) => `offer-${n}`);
  const service = offers({
    handlers: { batchGetOffers: async () => ok({ offers: [], unknownIds: offerIds, leftOutIds: [] }) },
  });
  const { server } = await serve([], asJson(service));
  const { request } = await import('node:http');
  const raw = (encoding: string) =>
    new Promise<{ bytes: Buffer; encoding: string | undefined }>((resolve) =>
      request(
        {
          port: server.port,
          host: '127.0.0.1',
          path: '/v1/offers:batchGet',
          headers: { authorization: 'Bearer operator', 'accept-encoding': encoding },
        },
        (answer) => {
          const pieces: Buffer[] = [];
          answer.on('data', (piece: Buffer) => pieces.push(piece));
          answer.once('end', () =>
            resolve({ bytes: Buffer.concat(pieces), encoding: answer.headers['content-encoding'] }),
          );
        },
      ).end(),
    );
  const plain = await raw('br');
  const packed = await raw('br, gzip;q=0.5');
  expect([plain.encoding, packed.encoding]).toEqual([undefined, 'gzip']);
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3);
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
  expect((await raw('gzip;q=0')).encoding).toBeUndefined();
});
