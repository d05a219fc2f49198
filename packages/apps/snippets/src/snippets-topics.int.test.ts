import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, startHost, Tokens, type Environment, type RunningHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { SnippetsTokens } from '@doska/app-wiring/snippets';
import { eventually, readAll } from '@doska/core/kernel/testing';
import { noKafka, testBrokers } from '@doska/test-setup/broker';
import { freshDatabase } from '@doska/test-setup/database';
import { afterAll, describe, expect, test } from 'vitest';
import { snippets } from './index.ts';

const SECRET = 'only-for-this-test-and-long-enough';
const dataDir = mkdtempSync(join(tmpdir(), 'doska-snippet-topics-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
let files = 0;
const file = (text: string): string => {
  const path = join(dataDir, `file-${++files}`);
  writeFileSync(path, text);
  return path;
};
const configOf = (...topics: readonly string[]): string =>
  `Body { Service: "snippets" Output: json InputSameAsOutput: true InputForLB: json KeyExtractor: "json_id"
    ${topics.map((topic, i) => `Section { Name: "s${i}" Body { InputTopic: "${topic}" } }`).join('\n')} }`;
const start = async (url: string, config: string, more: Environment = {}) => {
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
      DOSKA_PARTITIONS: '2',
      DOSKA_SNIPPETS_CONFIG: config,
      DOSKA_SNIPPETS_PREFIXES: file('1 s0\n2 s1\n'),
      DOSKA_SNIPPETS_RELOAD_MS: '0',
      ...more,
    },
    contexts,
  );
  return startHost('snippets', [snippets], loaded._unsafeUnwrap().config);
};
const publish = (host: RunningHost, topic: string, body: string) =>
  host.container.get(Tokens.log).publish([{ topic, key: 'k', value: Buffer.from(body) }]);
const shows = (host: RunningHost, path: string, body: string) =>
  eventually(async () => expect(await (await fetch(`${host.run.httpUrl}${path}`)).text()).toBe(body));
let unique = 0;
const freshTopic = (): string => `snippets-in-${process.pid}-${++unique}`;

const uploads = async (more: Environment): Promise<void> => {
  const database = await freshDatabase();
  const one = freshTopic();
  const two = freshTopic();
  const config = file(configOf(one));
  const host = (await start(database.url, config, more))._unsafeUnwrap();
  (await publish(host, one, '{"id":"a","n":12345678901234567890}'))._unsafeUnwrap();
  await shows(host, '/s0/a', '{"s0":{"id":"a","n":12345678901234567890}}');
  (await publish(host, one, 'broken'))._unsafeUnwrap();
  await eventually(async () => {
    const letters = await Promise.all(
      [0, 1].map((partition) => readAll(host.container.get(Tokens.log), `${one}.dead`, partition)),
    );
    expect(letters.flat()).toHaveLength(1);
  });
  // Topics come and go with the configuration.
  writeFileSync(config, configOf(one, two));
  expect((await host.container.get(SnippetsTokens.reload)())._unsafeUnwrap()).toBe('loaded');
  (await publish(host, two, '{"id":"b"}'))._unsafeUnwrap();
  await shows(host, '/s1/b', '{"s1":{"id":"b"}}');
  expect(await host.stop()).toEqual([]);
  await database.drop();
};

describe('upload by topics', () => {
  test('[F8] records of a topic are stored, invalid ones are dead letters, and a reload brings new topics', () =>
    uploads({}));
  test.skipIf(noKafka())('[F8] the same on Kafka', async () =>
    uploads({ DOSKA_LOG: 'kafka', KAFKA_BROKERS: (await testBrokers()).join(',') }),
  );
});
