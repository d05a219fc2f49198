import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpServer } from '@doska/adapters-http';
import { loadConfig, startHost, Tokens, type Environment, type RunningHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { parseRole, silentTelemetry, type Authenticator } from '@doska/core/kernel';
import { SnippetsTokens } from '@doska/app-wiring/snippets';
import { eventually, memoryDatabase, realClock, realIds } from '@doska/core/kernel/testing';
import {
  builtInParts,
  defaultSnippetSettings,
  joinParts,
  livePrefixes,
  noSchemas,
  openSnippets,
  readPrefixes,
} from '@doska/core/snippets';
import { inMemorySnippetStore } from '@doska/core/snippets/testing';
import { freshDatabase } from '@doska/test-setup/database';
import { errAsync, okAsync } from 'neverthrow';
import { afterAll, describe, expect, test } from 'vitest';
import { snippetsRoute } from './http/snippets-route.ts';
import { snippets } from './index.ts';
import { snippetsHttpCases, type ServedSnippets } from './testing/snippets-http.cases.ts';
import { testConfig, testParts, testPrefixes } from './testing/test-config.ts';

const SECRET = 'only-for-this-test-and-long-enough';
const dataDir = mkdtempSync(join(tmpdir(), 'doska-snippets-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(dataDir, name), text);
  return join(dataDir, name);
};
const config = file('config.pb.txt', testConfig);
file('key_prefixes.txt', testPrefixes);
const parts = join(import.meta.dirname, 'testing/parts-module.ts');

const started = async (url: string, more: Environment = {}) => {
  const loaded = loadConfig(
    {
      DOSKA_PROFILE: 'postgres',
      DATABASE_URL: url,
      DOSKA_TOKEN_KEY: SECRET,
      DOSKA_SIGNING_SECRET: SECRET,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
      DOSKA_LOG_FORMAT: 'json',
      DOSKA_SNIPPETS_CONFIG: config,
      DOSKA_SNIPPETS_MODULES: parts,
      ...more,
    },
    contexts,
  );
  if (loaded.isErr()) return loaded.error.lines;
  const host = await startHost('snippets', [snippets], loaded.value.config);
  return host.isOk() ? host.value : host.error.lines;
};
const startedHost = async (url: string, more?: Environment): Promise<RunningHost> => {
  const host = await started(url, more);
  if (Array.isArray(host)) throw new Error(host.join('\n'));
  return host as RunningHost;
};

snippetsHttpCases('PostgreSQL', async (): Promise<ServedSnippets> => {
  const database = await freshDatabase();
  const host = await startedHost(database.url);
  return {
    url: host.run.httpUrl,
    token: async (...roles) => {
      const issued = await host.container.get(Tokens.issueToken)({
        subject: 'test',
        roles: roles.map((role) => parseRole(role)._unsafeUnwrap()),
        ttlSec: 600,
      });
      return issued._unsafeUnwrap();
    },
    close: async () => {
      expect(await host.stop()).toEqual([]);
      await database.drop();
    },
  };
});

/** The token is the list of roles. */
const roleTokens: Authenticator = {
  authenticate: (token) => {
    const roles = token.split('+').map(parseRole);
    return roles.every((role) => role.isOk())
      ? okAsync({ subject: token, roles: roles.map((role) => role._unsafeUnwrap()) })
      : errAsync({ kind: 'Unauthenticated', reason: 'unknown token' });
  },
};
const servedInMemory = async (bulk: {
  readonly bulkBytesMax: number;
  readonly bulkMs: number;
}): Promise<ServedSnippets> => {
  const store = inMemorySnippetStore(memoryDatabase({ nowMs: () => Date.now(), mode: 'constrained' }));
  const ports = {
    store,
    clock: realClock,
    schemas: noSchemas,
    parts: joinParts([builtInParts, testParts])._unsafeUnwrap(),
  };
  const prefixes = livePrefixes(readPrefixes(testPrefixes)._unsafeUnwrap());
  const opened = openSnippets(ports, defaultSnippetSettings, { text: testConfig, prefixes })._unsafeUnwrap();
  const server = (
    await httpServer({
      listen: { host: '127.0.0.1', port: 0, whenBusy: 'refuse' },
      routes: [],
      authenticator: roleTokens,
      clock: realClock,
      ids: realIds,
      telemetry: silentTelemetry,
      hot: [
        snippetsRoute({
          snippets: opened,
          path: '/',
          contentBytesMax: defaultSnippetSettings.contentBytesMax,
          ...bulk,
          readers: { public: { ratePerMinute: 100_000 } },
          clock: realClock,
          ids: realIds,
          logger: silentTelemetry.logger,
        }),
      ],
    })
  )._unsafeUnwrap();
  return {
    url: `http://127.0.0.1:${server.port}`,
    token: async (...roles: readonly string[]) => roles.join('+'),
    close: async () => {
      await server.stop(1_000);
      await opened.close();
    },
  };
};
snippetsHttpCases('memory', () => servedInMemory({ bulkBytesMax: 1 << 30, bulkMs: 60_000 }));

describe('bounds of a bulk upload', () => {
  const line = new TextEncoder().encode('{"key":"k","json":1}\n');
  /** Sends lines without a length until it is told to end. */
  const upload = async (url: string, lines: number, end: Promise<void>): Promise<string> => {
    const body = new ReadableStream({
      start: async (controller) => {
        for (let at = 0; at < lines; at++) controller.enqueue(line);
        await end;
        controller.close();
      },
    });
    const headers = { authorization: 'Bearer operator', 'content-type': 'application/x-ndjson' };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    return (await fetch(`${url}/leaf`, init)).text();
  };
  const lastOf = (text: string): unknown => JSON.parse(text.trimEnd().split('\n').at(-1)!);

  test('[F10] a body that is too large ends with an error line, behind the verdicts', async () => {
    const served = await servedInMemory({ bulkBytesMax: line.length * 3, bulkMs: 60_000 });
    expect((await upload(served.url, 3, Promise.resolve())).trimEnd().split('\n')).toHaveLength(3);
    expect(lastOf(await upload(served.url, 4, Promise.resolve()))).toMatchObject({
      error: { status: 413, kind: 'BodyTooLarge' },
    });
    const known = { 'content-length': String(line.length * 4) };
    const body = Buffer.concat([line, line, line, line]);
    const headers = { authorization: 'Bearer operator', ...known };
    const answer = await fetch(`${served.url}/leaf`, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([413, { kind: 'TooLarge' }]);
    await served.close();
  });
  test('[F10] an upload that takes too long ends with an error line', async () => {
    const served = await servedInMemory({ bulkBytesMax: 1_000, bulkMs: 50 });
    const text = await upload(served.url, 1, new Promise(() => {}));
    expect(JSON.parse(text.split('\n')[0]!)).toMatchObject({ line: 1, status: 200 });
    expect(lastOf(text)).toMatchObject({ error: { status: 504, kind: 'DeadlineExceeded' } });
    await served.close();
  });
});

describe('a new configuration', () => {
  const configOf = (mark: string, more = ''): string =>
    `Body { Service: "snippets" Output: json InputSameAsOutput: true ChildrenOnly: true ${more}
      Section { Name: "live" Body { Recursive: ["${mark}1", "${mark}2"] Section { Name: "${mark}1" } Section { Name: "${mark}2" } } } }`;
  test('[F10] is taken over in the middle of 1000 requests: none fails, none mixes; a wrong one is refused whole', async () => {
    const database = await freshDatabase();
    const live = file('live.pb.txt', configOf('a'));
    const host = await startedHost(database.url, {
      DOSKA_SNIPPETS_CONFIG: live,
      DOSKA_SNIPPETS_PREFIXES: file('live.txt', '1 live/a1\n2 live/a2\n3 live/b1\n4 live/b2\n'),
      DOSKA_SNIPPETS_RELOAD_MS: '0',
    });
    const roles = [{ name: 'operator' }] as const;
    const token = (
      await host.container.get(Tokens.issueToken)({ subject: 't', roles, ttlSec: 60 })
    )._unsafeUnwrap();
    const reload = host.container.get(SnippetsTokens.reload);
    const seen = new Set<string>();
    const put = async (i: number): Promise<void> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'json' };
      const answer = await fetch(`${host.run.httpUrl}/live/k${i % 7}`, { method: 'PUT', headers, body: '1' });
      const { snippets: stored } = (await answer.json()) as { snippets: Record<string, string> };
      expect(answer.status).toBe(200);
      seen.add(Object.keys(stored).join());
    };
    for (let round = 0; round < 20; round++) {
      const requests = Array.from({ length: 50 }, (_, i) => put(i));
      writeFileSync(live, configOf(round % 2 === 0 ? 'b' : 'a'));
      expect((await reload())._unsafeUnwrap()).toBe('loaded');
      await Promise.all(requests);
    }
    expect([...seen].sort()).toEqual(['live/a1,live/a2', 'live/b1,live/b2']);
    expect((await reload())._unsafeUnwrap()).toBe('unchanged');
    writeFileSync(live, configOf('b', 'Colour: 1 Service: 5'));
    expect((await reload())._unsafeUnwrapErr().lines).toHaveLength(2);
    seen.clear();
    await put(1);
    expect([...seen]).toEqual(['live/a1,live/a2']);
    expect(await host.stop()).toEqual([]);
    await database.drop();
  });
  test('[F10] a file that changes is noticed by itself', async () => {
    const database = await freshDatabase();
    const live = file('noticed.pb.txt', configOf('a'));
    const host = await startedHost(database.url, {
      DOSKA_SNIPPETS_CONFIG: live,
      DOSKA_SNIPPETS_PREFIXES: file('noticed.txt', '1 live/a1\n2 live/a2\n3 live/b1\n4 live/b2\n'),
      DOSKA_SNIPPETS_RELOAD_MS: '20',
    });
    writeFileSync(live, configOf('b'));
    const { current } = host.container.get(SnippetsTokens.snippets).useCases;
    await eventually(async () => expect(current().config.sections.has('live/b1')).toBe(true));
    expect(await host.stop()).toEqual([]);
    await database.drop();
  });
});

describe('the start of the app', () => {
  test('[F4] inputs and converted outputs are checked by schemas, and a wrong schema stops the start', async () => {
    const database = await freshDatabase();
    const schemas = mkdtempSync(join(dataDir, 'schemas-'));
    writeFileSync(join(schemas, 'in.json'), '{"properties":{"ru":{"maxLength":3}}}');
    writeFileSync(join(schemas, 'out.json'), '{"type":"string"}');
    const settings = {
      DOSKA_SNIPPETS_CONFIG: file(
        'schema.pb.txt',
        'Body { Service: "snippets" Output: json InputSameAsOutput: true Section { Name: "texts" Body { InputJsonSchema: "in" OutputJsonSchema: "out" SpecialConvertor: "by_language" OutputLanguages: "ru" } } }',
      ),
      DOSKA_SNIPPETS_SCHEMAS: schemas,
    };
    const host = await startedHost(database.url, settings);
    const roles = [{ name: 'operator' }] as const;
    const token = (
      await host.container.get(Tokens.issueToken)({ subject: 't', roles, ttlSec: 60 })
    )._unsafeUnwrap();
    const put = async (body: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'json' };
      const answer = await fetch(`${host.run.httpUrl}/texts/k`, { method: 'PUT', headers, body });
      return [answer.status, await answer.json()];
    };
    expect(await put('{"ru":"long"}')).toMatchObject([
      422,
      { violations: [{ path: '/ru', code: 'maxLength' }] },
    ]);
    expect(await put('{"ru":5}')).toMatchObject([422, { violations: [{ path: '', code: 'type' }] }]);
    expect(await put('{"ru":"да"}')).toMatchObject([200, { snippets: { texts: 'stored' } }]);
    expect(await host.stop()).toEqual([]);
    writeFileSync(join(schemas, 'bad.json'), '{"pattern":"^(a+)+$"}');
    expect(((await started(database.url, settings)) as readonly string[]).join()).toContain(
      'DOSKA_SNIPPETS_SCHEMAS: bad.json',
    );
    await database.drop();
  });
  test('[F2] a wrong config starts nothing and lists every mistake with file, line and column', async () => {
    const database = await freshDatabase();
    const wrong = file('wrong.pb.txt', 'Body {\n  Service: "nope"\n  Section { Name: "v1/x" }\n}');
    const lines = (await started(database.url, { DOSKA_SNIPPETS_CONFIG: wrong })) as readonly string[];
    expect(lines).toContain(`${wrong}: line 2, column 3: root section: Service: there is no service "nope"`);
    expect(lines.join('\n')).toContain('paths that begin with "/v1" belong to the platform');
    await database.drop();
  });
  test.each([
    ['a missing file', { DOSKA_SNIPPETS_CONFIG: '/nowhere/x' }, 'DOSKA_SNIPPETS_CONFIG: /nowhere/x: ENOENT'],
    [
      'a module that is missing',
      { DOSKA_SNIPPETS_MODULES: './nowhere.mjs' },
      'DOSKA_SNIPPETS_MODULES: ./nowhere.mjs',
    ],
    [
      'a module that throws',
      { DOSKA_SNIPPETS_MODULES: file('throws.mjs', 'throw new Error("no licence");') },
      'throws.mjs: no licence',
    ],
    [
      'a module without parts',
      { DOSKA_SNIPPETS_MODULES: file('null.mjs', 'export const snippetParts = null;') },
      'null.mjs: the module has no export "snippetParts"',
    ],
    [
      'a convertor that fails when it is made',
      {
        DOSKA_SNIPPETS_MODULES: file(
          'made.mjs',
          `export const snippetParts = { convertors: { broken: { conversions: [{ from: 'json', to: 'json' }],
            make: () => { throw new Error('no dictionary'); } } } };`,
        ),
        DOSKA_SNIPPETS_CONFIG: file(
          'made.pb.txt',
          'Body { Service: "snippets" Output: json InputSameAsOutput: true\n Section { Name: "a" Body { SpecialConvertor: "broken" } } }',
        ),
        DOSKA_SNIPPETS_PREFIXES: file('made.txt', '1 a\n'),
      },
      'line 2, column 29: section "a": SpecialConvertor: "broken" failed when it was made for this section: no dictionary',
    ],
    ['a path of the platform', { DOSKA_SNIPPETS_PATH: '/photos' }, 'DOSKA_SNIPPETS_PATH'],
    ['tombstones that are too short', { DOSKA_SNIPPETS_TOMBSTONE_MS: '1000' }, 'DOSKA_SNIPPETS_TOMBSTONE_MS'],
  ])('[F2] %s stops the start and is named', async (_name, settings, expected) => {
    const database = await freshDatabase();
    const lines = (await started(database.url, settings)) as readonly string[];
    expect(lines.join('\n')).toContain(expected);
    await database.drop();
  });
  test('[F1] below a path of its own every section is free, and other paths stay with the platform', async () => {
    const database = await freshDatabase();
    const text =
      'Body { Service: "snippets" Output: json InputSameAsOutput: true Section { Name: "photos" } }';
    const host = await startedHost(database.url, {
      DOSKA_SNIPPETS_PATH: '/snip',
      DOSKA_SNIPPETS_CONFIG: file('below.pb.txt', text),
      DOSKA_SNIPPETS_PREFIXES: file('below.txt', '1 photos\n'),
    });
    const status = async (path: string) => (await fetch(`${host.run.httpUrl}${path}`)).status;
    expect(await status('/snip/photos/k')).toBe(404);
    const unknown = await fetch(`${host.run.httpUrl}/snip/nope/k`);
    expect(await unknown.json()).toMatchObject({ kind: 'UnknownSection' });
    expect(await status('/photos/k')).toBe(404);
    expect(await host.stop()).toEqual([]);
    await database.drop();
  });
});
