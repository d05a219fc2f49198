import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

export type ServedSnippets = {
  readonly url: string;
  /** A token with these roles. */
  readonly token: (...roles: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
};
type Asked = {
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly type?: string | undefined;
};
type Answered = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: () => never;
};
let unique = 0;
const freshKey = (): string => `key-${++unique}`;

/** What the HTTP interface promises, asked over a socket. */
export const snippetsHttpCases = (store: string, open: () => Promise<ServedSnippets>): void => {
  describe(`snippets over HTTP: ${store}`, () => {
    let served: ServedSnippets;
    let operator: string;
    beforeAll(async () => {
      served = await open();
      operator = await served.token('operator');
    });
    afterAll(() => served.close());

    const ask = async (
      method: string,
      path: string,
      { headers = {}, body, type = 'json' }: Asked = {},
    ): Promise<Answered> => {
      const response = await fetch(`${served.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${operator}`,
          ...(body === undefined || type === '' ? {} : { 'content-type': type }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? Buffer.from(body) : Buffer.from(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: () => JSON.parse(text) as never,
      };
    };
    const put = (path: string, body: string | Uint8Array, more: Asked = {}) =>
      ask('PUT', path, { body, ...more });
    const get = (path: string, more: Asked = {}) => ask('GET', path, more);
    const remove = (path: string, more: Asked = {}) => ask('DELETE', path, more);
    /** Sends the path as it stands; `fetch` would tidy it. */
    const rawGet = (path: string): Promise<{ status: number; text: string }> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(served.url);
        httpRequest({ hostname, port, path, method: 'GET' }, (response) => {
          let text = '';
          response.on('data', (piece: Buffer) => (text += piece.toString()));
          response.on('end', () => resolve({ status: response.statusCode!, text }));
        })
          .on('error', reject)
          .end();
      });

    test('[F1] a snippet is uploaded by PUT, and the next GET has it', async () => {
      const key = freshKey();
      const stored = await put(`/leaf/${key}`, '{"a":1}');
      expect([stored.status, stored.json()]).toEqual([
        200,
        { version: expect.stringMatching(/^\d+-\d+$/) as string, snippets: { leaf: 'stored' } },
      ]);
      const found = await get(`/leaf/${key}`);
      expect([found.status, found.text]).toEqual([200, '{"leaf":{"a":1}}']);
    });
    test('[F1] a snippet is deleted by DELETE in the same place', async () => {
      const key = freshKey();
      await put(`/leaf/${key}`, '1');
      const gone = await remove(`/leaf/${key}`);
      expect([gone.status, gone.json()]).toMatchObject([200, { snippets: { leaf: 'deleted' } }]);
      expect((await get(`/leaf/${key}`)).status).toBe(404);
      expect((await remove(`/leaf/${key}`)).json()).toMatchObject({ snippets: { leaf: 'absent' } });
    });
    test('[F1] every answer to a write carries its version as ETag, greater each time', async () => {
      const key = freshKey();
      const tags: string[] = [];
      for (const answer of [
        await put(`/leaf/${key}`, '1'),
        await put(`/leaf/${key}`, '2'),
        await remove(`/leaf/${key}`),
      ])
        tags.push(answer.headers.get('etag')!);
      expect(new Set(tags).size).toBe(3);
      for (const tag of tags) expect(tag).toMatch(/^"\d+-\d+"$/);
    });
    test.each(['json', 'application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
      '[F1] Content-Type %s is json',
      async (type) => {
        expect((await put(`/leaf/${freshKey()}`, '{}', { type })).status).toBe(200);
      },
    );
    test.each(['pb', 'application/x-protobuf'])('[F1] Content-Type %s is protobuf', async (type) => {
      expect((await put(`/blob/${freshKey()}`, Uint8Array.of(8, 1), { type })).status).toBe(200);
    });
    test.each([
      ['leaf', '', 'application/json'],
      ['leaf', 'pb', 'application/json'],
      ['leaf', 'text/html', 'json'],
      ['blob', '', 'application/x-protobuf'],
      ['blob', 'json', 'pb'],
      ['twice', '', 'application/octet-stream'],
      ['twice', 'pb', 'json'],
    ])('[F1] %s with Content-Type "%s" is 415 with the list of types', async (name, type, listed) => {
      const refused = await put(`/${name}/${freshKey()}`, '1', { type });
      expect([refused.status, refused.json()]).toMatchObject([415, { kind: 'UnsupportedFormat' }]);
      expect((refused.json() as { detail: string }).detail).toContain(listed);
    });
    test('[F1] a text needs no Content-Type', async () => {
      const key = freshKey();
      expect((await put(`/text/${key}`, 'hello "you"', { type: '' })).status).toBe(200);
      expect((await get(`/text/${key}`)).json()).toEqual({ text: 'hello "you"' });
    });
    test('[F1] [F5] a snippet for a language is a snippet of its own', async () => {
      const key = freshKey();
      await put(`/leaf/${key}`, '"none"');
      await put(`/leaf/${key}`, '"ru"', { headers: { 'content-language': 'RU' } });
      await put(`/leaf/${key}`, '"us"', { headers: { 'content-language': 'en_US' } });
      expect((await get(`/leaf/${key}`)).json()).toEqual({ leaf: 'none' });
      expect((await get(`/leaf/${key}/ru`)).json()).toEqual({ leaf: 'ru' });
      expect((await get(`/leaf/${key}/en-US`)).json()).toEqual({ leaf: 'us' });
      expect((await get(`/leaf/${key}/en`)).status).toBe(404);
      expect((await remove(`/leaf/${key}/ru`)).json()).toMatchObject({ snippets: { leaf: 'deleted' } });
      expect(
        (await remove(`/leaf/${key}`, { headers: { 'content-language': 'en-us' } })).json(),
      ).toMatchObject({
        snippets: { leaf: 'deleted' },
      });
      expect((await get(`/leaf/${key}`)).json()).toEqual({ leaf: 'none' });
    });
    test.each(['ru, en', 'r', 'русский'])('[F5] Content-Language "%s" is refused', async (language) => {
      const headers = { 'content-language': Buffer.from(language).toString('latin1') };
      expect((await put(`/leaf/${freshKey()}`, '1', { headers })).status).toBe(400);
    });
    test('[F5] with OutputLanguages one upload makes one snippet a language, and the request’s language is ignored', async () => {
      const key = freshKey();
      const stored = await put(`/texts/${key}`, '{"ru":"да","en":"yes"}', {
        headers: { 'content-language': 'tr' },
      });
      expect(stored.status).toBe(200);
      expect((await get(`/texts/${key}/ru`)).json()).toEqual({ texts: 'да' });
      expect((await get(`/texts/${key}/en`)).json()).toEqual({ texts: 'yes' });
      expect([(await get(`/texts/${key}`)).status, (await get(`/texts/${key}/tr`)).status]).toEqual([
        404, 404,
      ]);
      expect((await remove(`/texts/${key}`)).json()).toMatchObject({ snippets: { texts: 'deleted' } });
      expect([(await get(`/texts/${key}/ru`)).status, (await get(`/texts/${key}/en`)).status]).toEqual([
        404, 404,
      ]);
    });
    test('[F4] the error of a validator is in the body of a 4xx answer', async () => {
      const key = freshKey();
      const refused = await put(`/checked/${key}`, '{}');
      expect([refused.status, refused.headers.get('content-type')]).toEqual([
        422,
        'application/problem+json',
      ]);
      expect(refused.json()).toMatchObject({
        kind: 'Refused',
        violations: [{ path: '/name', code: 'Missing', message: 'a name is needed' }],
      });
      expect((await get(`/checked/${key}`)).status).toBe(404);
    });
    test('[F4] a validator that throws fails its request with an id, and the process goes on', async () => {
      const failed = await put(`/throws/${freshKey()}`, '1', { headers: { 'x-request-id': 'mine' } });
      expect([failed.status, failed.json()]).toMatchObject([500, { kind: 'PartFailed', requestId: 'mine' }]);
      expect((await put(`/leaf/${freshKey()}`, '1')).status).toBe(200);
    });
    test('[F4] a convertor sees the format of the request and makes the stored one', async () => {
      const key = freshKey();
      await put(`/twice/${key}`, '{"a":1}', { type: 'json' });
      expect((await get(`/twice/${key}`)).json()).toEqual({ twice: '{"was":{"a":1}}' });
      await put(`/twice/${key}`, 'plain', { type: 'text/plain' });
      expect((await get(`/twice/${key}`)).json()).toEqual({ twice: 'plain' });
    });
    test('[F3] [T6] a write to a group reaches each section of Recursive by its own rule', async () => {
      const key = freshKey();
      const stored = await put(`/group/${key}`, '{"name":"x"}');
      expect(stored.json()).toMatchObject({
        snippets: {
          'group/deep': 'stored',
          'group/deep/raw': 'stored',
          'group/one': 'stored',
          'group/two': 'stored',
        },
      });
      expect((await get(`/group/${key}`)).json()).toEqual({
        'group/deep': { name: 'x' },
        'group/deep/raw': '{"was":{"name":"x"}}',
        'group/one': { name: 'x' },
        'group/two': { name: 'x' },
      });
      expect((await get(`/group/three/${key}`)).status).toBe(404);
      const tags = await Promise.all(
        ['one', 'two', 'deep/raw'].map(async (name) =>
          (await get(`/group/${name}/${key}`)).headers.get('etag'),
        ),
      );
      expect(new Set([...tags, stored.headers.get('etag')]).size).toBe(1);
    });
    test('[F3] [T6] a group whose one section refuses stores nothing and says what each section said', async () => {
      const key = freshKey();
      const refused = await put(`/group/${key}`, '{}');
      expect([refused.status, refused.json()]).toMatchObject([
        422,
        { verdicts: { 'group/one': { outcome: 'accepted' }, 'group/two': { outcome: 'refused' } } },
      ]);
      expect((await get(`/group/${key}`)).status).toBe(404);
    });
    test('[F3] [T6] a GET of a group answers the sections that have a snippet', async () => {
      const key = freshKey();
      await put(`/group/one/${key}`, '1');
      await put(`/group/one/${key}`, '"ru"', { headers: { 'content-language': 'ru' } });
      expect((await get(`/group/${key}`)).text).toBe('{"group/one":1}');
      expect((await get(`/group/${key}/ru`)).text).toBe('{"group/one":"ru"}');
    });
    test('[F3] [T6] a DELETE of a group deletes each section and says where there was nothing', async () => {
      const key = freshKey();
      await put(`/group/one/${key}`, '1');
      const gone = await remove(`/group/${key}`);
      expect([gone.status, gone.json()]).toMatchObject([
        200,
        { snippets: { 'group/one': 'deleted', 'group/two': 'absent' } },
      ]);
    });
    test('[T6] a group that can do nothing is 409, by any method', async () => {
      for (const answer of [await put('/idle/k', '1'), await get('/idle/k'), await remove('/idle/k')])
        expect([answer.status, answer.json()]).toMatchObject([409, { kind: 'NothingToDo' }]);
      expect((await get('/chains/k')).status).toBe(409);
    });
    test('[F1] a group whose sections accept no common format is 415', async () => {
      expect((await put('/mixed/k', '1')).status).toBe(415);
    });
    test('[F1] the longest name of a path wins: a/b against key b of a', async () => {
      await put('/a/b', '"key b of a"');
      await put('/a/b/x', '"key x of a/b"');
      expect((await get('/a/b')).json()).toEqual({ a: 'key b of a' });
      expect((await get('/a/b/x')).json()).toEqual({ 'a/b': 'key x of a/b' });
      await put('/a/k', '"ru"', { headers: { 'content-language': 'ru' } });
      expect((await get('/a/k/ru')).json()).toEqual({ a: 'ru' });
    });
    test('[F1] a name may have dots: chains/1.x', async () => {
      expect((await put('/chains/1.x/k', '1')).status).toBe(200);
      expect((await get('/chains/1.x/k')).text).toBe('{"chains/1.x":1}');
    });
    test.each([
      ['%2F', 200],
      ['a%2Fb%2F..', 200],
      ['%D0%BA%D0%BB%D1%8E%D1%87', 200],
      ['with%20blank', 200],
      ['%F0%9F%98%80', 200],
      ['a'.repeat(512), 200],
      ['a'.repeat(513), 400],
      ['%00', 400],
      ['%zz', 400],
      ['%ff', 400],
    ])('[F1] the key %s: %i', async (key, status) => {
      const stored = await put(`/leaf/${key}`, JSON.stringify(key));
      expect(stored.status).toBe(status);
      if (status === 200) expect((await get(`/leaf/${key}`)).json()).toEqual({ leaf: key });
    });
    test('[F1] two snippets with one key do not touch each other', async () => {
      const key = freshKey();
      await put(`/leaf/${key}`, '1');
      await put(`/other/${key}`, '2');
      await remove(`/leaf/${key}`);
      expect((await get(`/other/${key}`)).text).toBe('{"other":2}');
    });
    test('[F7] stored JSON stands in the answer byte by byte', async () => {
      const key = freshKey();
      const body = ' {"b":12345678901234567890.10, "a": [1e400,\t-0] ,"\\u0041":"я"} ';
      await put(`/leaf/${key}`, body);
      expect((await get(`/leaf/${key}`)).text).toBe(`{"leaf":${body}}`);
    });
    test('[F7] bytes that are no text, and protobuf, stand in base64 and are named', async () => {
      const key = freshKey();
      await put(`/text/${key}`, Uint8Array.of(0xff, 0), { type: '' });
      const bytes = await get(`/text/${key}`);
      expect([bytes.json(), bytes.headers.get('doska-base64')]).toEqual([{ text: '/wA=' }, 'text']);
      await put(`/blob/${key}`, Uint8Array.of(8, 1), { type: 'pb' });
      expect((await get(`/blob/${key}`)).headers.get('doska-base64')).toBe('blob');
      await put(`/text/${key}`, '', { type: '' });
      const empty = await get(`/text/${key}`);
      expect([empty.json(), empty.headers.get('doska-base64')]).toEqual([{ text: '' }, null]);
    });
    test.each([
      ['broken', '{'],
      ['empty', ''],
      ['with a key twice', '{"a":1,"a":2}'],
      ['with a key twice deep inside', '[{"x":{"a":1,"\\u0061":2}}]'],
      ['with __proto__', '{"__proto__":1}'],
      ['10,000 deep', '['.repeat(10_000) + ']'.repeat(10_000)],
      ['201 deep', '['.repeat(201) + ']'.repeat(201)],
    ])('[F1] JSON %s is refused and nothing is stored', async (_name, body) => {
      const key = freshKey();
      const refused = await put(`/leaf/${key}`, body);
      expect([refused.status, refused.json()]).toMatchObject([422, { kind: 'Refused' }]);
      expect((await get(`/leaf/${key}`)).status).toBe(404);
    });
    test('[F1] JSON that is not UTF-8 is refused, JSON 200 deep is stored', async () => {
      expect((await put(`/leaf/${freshKey()}`, Uint8Array.of(0x22, 0xff, 0x22))).status).toBe(422);
      expect((await put(`/leaf/${freshKey()}`, '['.repeat(200) + ']'.repeat(200))).status).toBe(200);
    });
    test.each([
      [256 * 1024, 200],
      [256 * 1024 + 1, 413],
    ])('[F1] a content of %i bytes: %i', async (bytes, status) => {
      const answer = await put(`/text/${freshKey()}`, 'x'.repeat(bytes), { type: '' });
      expect(answer.status).toBe(status);
      if (status === 413) expect((answer.json() as { detail: string }).detail).toContain('262144');
    });
    test('[F1] a content without a length is bounded too', async () => {
      const chunks = (async function* () {
        for (let i = 0; i < 20; i++) yield Buffer.alloc(64 * 1024, 'x');
      })();
      const response = await fetch(`${served.url}/text/${freshKey()}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${operator}` },
        body: chunks,
        duplex: 'half',
      }).catch(() => undefined);
      expect([413, undefined]).toContain(response?.status);
    });
    test('[F3] a group’s write of more than 1 MB is 413, and nothing is stored', async () => {
      const key = freshKey();
      const large = JSON.stringify('x'.repeat(250_000));
      const refused = await put(`/wide/${key}`, large);
      expect([refused.status, refused.json()]).toMatchObject([413, { kind: 'TooLarge' }]);
      expect((await get(`/wide/${key}`)).status).toBe(404);
      expect((await put(`/wide/${key}`, JSON.stringify('x'.repeat(198_700)))).status).toBe(200);
    });
    test('[F10] If-Match stores only over the version that the caller has seen', async () => {
      const key = freshKey();
      const tag = (await put(`/leaf/${key}`, '1')).headers.get('etag')!;
      const wrong = await put(`/leaf/${key}`, '2', { headers: { 'if-match': '"1-0"' } });
      expect([wrong.status, wrong.json()]).toMatchObject([412, { kind: 'ConditionFailed' }]);
      expect((await put(`/leaf/${key}`, '3', { headers: { 'if-match': tag } })).status).toBe(200);
      expect((await put(`/leaf/${key}`, '4', { headers: { 'if-match': tag } })).status).toBe(412);
      expect((await remove(`/leaf/${key}`, { headers: { 'if-match': tag } })).status).toBe(412);
      expect((await get(`/leaf/${key}`)).text).toBe('{"leaf":3}');
    });
    test('[F10] If-None-Match: * stores only what is not there', async () => {
      const key = freshKey();
      const headers = { 'if-none-match': '*' };
      expect((await put(`/leaf/${key}`, '1', { headers })).status).toBe(200);
      expect((await put(`/leaf/${key}`, '2', { headers })).status).toBe(412);
      expect((await put(`/leaf/${freshKey()}`, '2', { headers: { 'if-match': '*' } })).status).toBe(412);
    });
    test.each([
      ['/group/k', { 'if-match': '"1-0"' }, '{"name":"x"}'],
      ['/texts/k', { 'if-none-match': '*' }, '{"ru":1,"en":1}'],
      ['/leaf/k', { 'if-match': 'x' }, '1'],
      ['/leaf/k', { 'if-none-match': '"1-0"' }, '1'],
    ])('[F10] a condition on %s with %j is 400', async (path, headers, body) => {
      expect((await put(path, body, { headers: headers })).status).toBe(400);
    });
    test('[F10] GET has an ETag, and answers 304 to a client that has it', async () => {
      const key = freshKey();
      const etag = (await put(`/leaf/${key}`, '1')).headers.get('etag')!;
      const found = await get(`/leaf/${key}`);
      expect(found.headers.get('etag')).toBe(etag);
      expect((await get(`/leaf/${key}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
      await put(`/leaf/${key}`, '2');
      expect((await get(`/leaf/${key}`, { headers: { 'if-none-match': etag } })).status).toBe(200);
    });
    test('[F10] min-version answers 409 while the version is not there', async () => {
      const key = freshKey();
      const version = (await put(`/leaf/${key}`, '1')).headers.get('etag')!.slice(1, -1);
      expect((await get(`/leaf/${key}?min-version=${version}`)).status).toBe(200);
      const later = await get(`/leaf/${key}?min-version=${Number(version.split('-')[0]) + 60_000}-0`);
      expect([later.status, later.json()]).toMatchObject([409, { kind: 'VersionNotReached' }]);
      expect((await get(`/leaf/${key}?min-version=x`)).status).toBe(400);
    });
    const bulk = (path: string, lines: readonly unknown[], more: Asked = {}) =>
      ask('POST', path, {
        type: 'application/x-ndjson',
        body: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
        ...more,
      });
    const verdicts = ({ text }: Answered): readonly Record<string, unknown>[] =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    test('[F10] a bulk upload answers each line in order, and a bad line stops no other', async () => {
      const one = freshKey();
      const two = freshKey();
      const answer = await bulk('/checked', [
        { key: one, json: { name: 'first' } },
        { key: two, json: { nick: 'x' } },
        'nonsense',
        '',
        { key: two, json: { name: 'x' }, ifNoneMatch: '*' },
        { key: two, json: { name: 'y' }, ifNoneMatch: '*' },
        { key: one, delete: true },
        { key: freshKey(), delete: true },
        { key: '', json: {} },
        { key: one, text: 'x', type: 'pb' },
      ]);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
      expect(verdicts(answer).map(({ line, status, kind }) => [line, status, kind])).toEqual([
        [1, 200, undefined],
        [2, 422, 'Refused'],
        [3, 400, 'InvalidInput'],
        [5, 200, undefined],
        [6, 412, 'ConditionFailed'],
        [7, 200, undefined],
        [8, 200, undefined],
        [9, 400, 'InvalidInput'],
        [10, 415, 'UnsupportedFormat'],
      ]);
      expect(verdicts(answer)[5]).toMatchObject({ key: one, snippets: { checked: 'deleted' } });
      expect(verdicts(answer)[6]).toMatchObject({ snippets: { checked: 'absent' } });
      expect((await get(`/checked/${two}`)).text).toBe('{"checked":{"name":"x"}}');
      expect((await get(`/checked/${one}`)).status).toBe(404);
    });
    test('[F10] [F7] a bulk upload keeps JSON as it stands in its line', async () => {
      const key = freshKey();
      await bulk('/leaf', [`{"json": {"b":12345678901234567890, "a":1.50} , "key":"${key}"}`]);
      expect((await get(`/leaf/${key}`)).text).toBe('{"leaf":{"b":12345678901234567890, "a":1.50}}');
    });
    test('[F10] [F3] a line of a bulk upload to a group is stored in every section or in none', async () => {
      const one = freshKey();
      const two = freshKey();
      const answer = await bulk('/group', [
        { key: one, json: { name: 'x' } },
        { key: two, json: {} },
      ]);
      expect(verdicts(answer).map(({ status }) => status)).toEqual([200, 422]);
      expect((await get(`/group/one/${one}`)).status).toBe(200);
      expect((await get(`/group/one/${two}`)).status).toBe(404);
    });
    test('[F10] a bulk upload of 2,000 lines is stored whole', async () => {
      const prefix = freshKey();
      const lines = Array.from({ length: 2_000 }, (_, at) => ({ key: `${prefix}-${at}`, json: { at } }));
      const told = verdicts(await bulk('/leaf', lines));
      expect(told.map(({ line }) => line)).toEqual(lines.map((_, at) => at + 1));
      expect(told.every(({ status }) => status === 200)).toBe(true);
      expect((await get(`/leaf/${prefix}-1999`)).text).toBe('{"leaf":{"at":1999}}');
    });
    test('[F10] a bulk upload needs the rights of a write and a section', async () => {
      const line = [{ key: 'k', json: 1 }];
      const status = async (path: string, role: string): Promise<number> =>
        (await bulk(path, line, { headers: { authorization: `Bearer ${await served.token(role)}` } })).status;
      expect(await status('/leaf', 'publisher:leaf')).toBe(200);
      expect(await status('/leaf', 'publisher:other')).toBe(403);
      expect(await status('/leaf', 'seller:1')).toBe(403);
      expect(await status('/nothing', 'operator')).toBe(404);
      expect((await bulk('/leaf', line, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
      expect((await bulk('/leaf', line, { headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
      expect(verdicts(await bulk('/idle', line))[0]).toMatchObject({ status: 409, kind: 'NothingToDo' });
    });
    test('[F1] a read needs no token, a write needs one', async () => {
      const none = { headers: { authorization: '' } };
      const bare = (method: string, body?: string) =>
        fetch(`${served.url}/leaf/k`, {
          method,
          headers: { 'content-type': 'json' },
          ...(body === undefined ? {} : { body }),
        });
      expect(none).toBeDefined();
      expect((await bare('PUT', '1')).status).toBe(401);
      expect((await bare('DELETE')).status).toBe(401);
      expect([200, 404]).toContain((await bare('GET')).status);
      expect((await put('/leaf/k', '1', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    });
    test.each([
      ['publisher:leaf', '/leaf/k', 200],
      ['publisher:lea', '/leaf/k', 403],
      ['publisher:group', '/group/one/k', 200],
      ['publisher:group/one', '/group/k', 403],
      ['publisher:other', '/leaf/k', 403],
      ['service', '/leaf/k', 200],
      ['seller:1', '/leaf/k', 403],
    ])('[F1] a token with the role %s writes to %s: %i', async (role, path, status) => {
      const headers = { authorization: `Bearer ${await served.token(role)}` };
      expect((await put(path, '{"name":"x"}', { headers })).status).toBe(status);
    });
    test('[F1] paths that are no snippets stay with the platform', async () => {
      expect((await get('/nothing/k')).json()).toMatchObject({ kind: 'NotFound' });
      expect((await get('/healthz')).status).toBe(200);
      expect((await get('/leaf')).status).toBe(404);
      expect((await rawGet('/leaf/../k')).status).not.toBe(500);
    });
    test('[F1] another method is 405 and says which there are', async () => {
      const answer = await ask('PATCH', '/leaf/k', { body: '1' });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, DELETE']);
    });
    test('[F1] HEAD answers like GET, without a body', async () => {
      const key = freshKey();
      await put(`/leaf/${key}`, '{"a":1}');
      const head = await ask('HEAD', `/leaf/${key}`);
      expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '16']);
    });
  });
};
