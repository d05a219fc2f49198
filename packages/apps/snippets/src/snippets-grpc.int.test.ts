import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grpcChannel, snippetClient, type GrpcChannel, type SnippetClient } from '@doska/adapters-grpc';
import { SnippetServiceDefinition } from '@doska/adapters-proto/generated/doska/snippets/v1/snippet_service';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { parseRole } from '@doska/core/kernel';
import { realClock } from '@doska/core/kernel/testing';
import { PAIRS_MAX } from '@doska/core/snippets';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { snippets } from './index.ts';
import { testConfig, testPrefixes } from './testing/test-config.ts';

const SECRET = 'only-for-this-test-and-long-enough';
const dataDir = mkdtempSync(join(tmpdir(), 'doska-snippets-grpc-'));
let database: FreshDatabase;
let host: RunningHost;
let channel: GrpcChannel;
let client: SnippetClient;

const channelFor = async (role: string): Promise<GrpcChannel> => {
  const roles = [parseRole(role)._unsafeUnwrap()];
  const token = (
    await host.container.get(Tokens.issueToken)({ subject: 't', roles, ttlSec: 600 })
  )._unsafeUnwrap();
  return grpcChannel({ target: host.run.grpcAddress, clock: realClock, token });
};
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const json = (name: string, key: string, value: unknown, language = '') =>
  client.put({ name, key, language, format: 'json', content: bytes(value) });

beforeAll(async () => {
  database = await freshDatabase();
  writeFileSync(join(dataDir, 'config.pb.txt'), testConfig);
  writeFileSync(join(dataDir, 'key_prefixes.txt'), testPrefixes);
  const { config } = loadConfig(
    {
      DOSKA_PROFILE: 'postgres',
      DATABASE_URL: database.url,
      DOSKA_TOKEN_KEY: SECRET,
      DOSKA_SIGNING_SECRET: SECRET,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
      DOSKA_LOG_FORMAT: 'json',
      DOSKA_SNIPPETS_CONFIG: join(dataDir, 'config.pb.txt'),
      DOSKA_SNIPPETS_MODULES: join(import.meta.dirname, 'testing/parts-module.ts'),
    },
    contexts,
  )._unsafeUnwrap();
  host = (await startHost('snippets', [snippets], config))._unsafeUnwrap();
  channel = await channelFor('service');
  client = snippetClient(channel, { readMs: 5_000 });
});
afterAll(async () => {
  channel.close();
  expect(await host.stop()).toEqual([]);
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('snippets over gRPC', () => {
  test('[F11] one call answers several keys of several sections, groups by their sections', async () => {
    (await json('group', 'm1', { name: 'x' }))._unsafeUnwrap();
    (await json('leaf', 'm1', 1))._unsafeUnwrap();
    (await json('leaf', 'm2', 2))._unsafeUnwrap();
    const found = (
      await client.multiGet({ names: ['leaf', 'group', 'other'], keys: ['m1', 'm2'], language: '' })
    )._unsafeUnwrap();
    expect(found.map(({ name, key }) => `${name}:${key}`).sort()).toEqual([
      'group/deep/raw:m1',
      'group/deep:m1',
      'group/one:m1',
      'group/two:m1',
      'leaf:m1',
      'leaf:m2',
    ]);
    expect(found.find(({ name }) => name === 'group/deep/raw')!.content.format).toBe('raw');
  });
  test('[F11] of each key the snippet in the language, else the one without', async () => {
    await json('leaf', 'l1', 'none');
    await json('leaf', 'l1', 'ru', 'ru');
    await json('leaf', 'l2', 'none');
    await json('leaf', 'l3', 'en', 'en');
    const found = (
      await client.multiGet({ names: ['leaf'], keys: ['l1', 'l2', 'l3'], language: 'RU' })
    )._unsafeUnwrap();
    expect(
      found.map(({ key, language, content }) => [key, language, new TextDecoder().decode(content.bytes)]),
    ).toEqual([
      ['l1', 'ru', '"ru"'],
      ['l2', '', '"none"'],
    ]);
  });
  test.each([
    [PAIRS_MAX, true],
    [PAIRS_MAX + 1, false],
  ])('[F11] %i pairs of section and key with a language are answered: %s', async (pairs, answered) => {
    const keys = Array.from({ length: pairs }, (_, i) => `k${i}`);
    const found = await client.multiGet({ names: ['leaf'], keys, language: 'ru' });
    if (answered) expect(found.isOk()).toBe(true);
    else expect(found._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidInput' });
  });
  test('[F11] an answer of more than 4 MB is refused', async () => {
    const large = bytes('x'.repeat(250_000));
    const keys = Array.from({ length: 17 }, (_, i) => `large${i}`);
    for (const key of keys)
      (await client.put({ name: 'leaf', key, format: 'json', content: large }))._unsafeUnwrap();
    const refused = await client.multiGet({ names: ['leaf'], keys, language: '' });
    expect(refused._unsafeUnwrapErr()).toMatchObject({ code: 'RESOURCE_EXHAUSTED' });
    expect((await client.multiGet({ names: ['leaf'], keys: keys.slice(0, 15), language: '' })).isOk()).toBe(
      true,
    );
  });
  test('[F11] a client whose service is away answers none', async () => {
    const away = grpcChannel({ target: '127.0.0.1:1', clock: realClock });
    const query = { names: ['leaf'], keys: ['l1'], language: '' };
    expect(await snippetClient(away).multiGetOrNone(query)).toEqual([]);
    expect(await client.multiGetOrNone(query)).toHaveLength(1);
    away.close();
  });
  test('[F10] min_version is refused while no snippet has it', async () => {
    const minVersion = { ms: Date.now() + 60_000, sequence: 0 };
    const asked = await client.multiGet({ names: ['leaf'], keys: ['l1'], language: '', minVersion });
    expect(asked._unsafeUnwrapErr()).toMatchObject({ code: 'FAILED_PRECONDITION' });
  });
  test('[F11] a batch of writes has an outcome for each', async () => {
    const service = channel.client(SnippetServiceDefinition);
    const put = (name: string, value: unknown) => ({
      name,
      key: 'b1',
      language: '',
      format: 1 as const,
      content: bytes(value),
      condition: undefined,
    });
    const { outcomes } = (
      await service.batchPut({ puts: [put('leaf', 1), put('checked', {}), put('nope', 1), put('idle', 1)] })
    )._unsafeUnwrap();
    expect(
      outcomes.map(({ outcome }) => (outcome?.$case === 'refused' ? outcome.value.kind : outcome?.$case)),
    ).toEqual(['stored', 'Refused', 'UnknownSection', 'NothingToDo']);
    const many = await service.batchPut({ puts: Array.from({ length: 101 }, () => put('leaf', 1)) });
    expect(many._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidInput' });
  });
  test('[F1] a write by gRPC is seen by HTTP, and a delete by gRPC deletes', async () => {
    await json('leaf', 'both', { a: 1 });
    expect(await (await fetch(`${host.run.httpUrl}/leaf/both`)).text()).toBe('{"leaf":{"a":1}}');
    expect((await client.delete({ name: 'leaf', key: 'both' }))._unsafeUnwrap().deleted).toEqual(['leaf']);
    expect((await fetch(`${host.run.httpUrl}/leaf/both`)).status).toBe(404);
  });
  test('[F1] a publisher writes only below its own names', async () => {
    const own = await channelFor('publisher:other');
    const publisher = snippetClient(own);
    const put = (name: string) => publisher.put({ name, key: 'p', format: 'json', content: bytes(1) });
    expect((await put('leaf'))._unsafeUnwrapErr()).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect((await put('other')).isOk()).toBe(true);
    own.close();
  });
});
