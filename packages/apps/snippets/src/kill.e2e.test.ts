import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig, startHost, Tokens, type Environment } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { eventually, readAll } from '@doska/core/kernel/testing';
import { startAppProcess, type AppProcess } from '@doska/test-setup/app-process';
import { noKafka, testBrokers } from '@doska/test-setup/broker';
import { freshDatabase } from '@doska/test-setup/database';
import { afterAll, describe, expect, test } from 'vitest';
import { snippets } from './index.ts';

const KEYS = 20;
const KILLS = 3;
const SECRET = 'only-for-this-test-and-long-enough';
const folder = mkdtempSync(join(tmpdir(), 'doska-snippets-kill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
let unique = 0;

/** A log of the same servers, in this process, with no topic of its own. */
const openLog = async (settings: Environment) => {
  const { config } = loadConfig(
    {
      DOSKA_PROFILE: 'postgres',
      DOSKA_TOKEN_KEY: SECRET,
      DOSKA_SIGNING_SECRET: SECRET,
      DOSKA_DATA_DIR: folder,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
      ...settings,
    },
    contexts,
  )._unsafeUnwrap();
  const host = (await startHost('publisher', [snippets], config))._unsafeUnwrap();
  return { log: host.container.get(Tokens.log), stop: () => host.stop() };
};

const survives = async (more: Environment): Promise<void> => {
  const database = await freshDatabase({ max: 4 });
  const topic = `snippets-kill-${process.pid}-${++unique}`;
  const config = file(
    `${topic}.pb.txt`,
    `Body { Service: "snippets" Output: json InputSameAsOutput: true InputForLB: json KeyExtractor: "json_id"
      Section { Name: "put" } Section { Name: "topic" Body { InputTopic: "${topic}" } } }`,
  );
  const settings = { DATABASE_URL: database.url, DOSKA_PARTITIONS: '2', ...more };
  let app: AppProcess | undefined;
  const publisher = await openLog(settings);
  try {
    const started = await startAppProcess('snippets', {
      ...(settings as Record<string, string>),
      DOSKA_SNIPPETS_CONFIG: config,
      DOSKA_SNIPPETS_PREFIXES: file(`${topic}.txt`, '1 put\n2 topic\n'),
      DOSKA_SNIPPETS_RATE_PER_MINUTE: '1000000',
    });
    app = started;
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${started.run().httpUrl}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${started.run().token}`, 'content-type': 'json' },
        signal: AbortSignal.timeout(5_000),
      });
    let isOver = false;
    const put = new Map<number, number>();
    const published = new Map<string, number>();
    let broken = 0;
    const putter = async (key: number): Promise<void> => {
      for (let version = 1; !isOver; version++) {
        const answer = await ask(`/put/${key}`, { method: 'PUT', body: `{"v":${version}}` }).catch(
          () => undefined,
        );
        if (answer?.status === 200) put.set(key, version);
        await answer?.arrayBuffer().catch(() => undefined);
        await pause(5);
      }
    };
    const publish = async (): Promise<void> => {
      for (let version = 1; !isOver; version++) {
        const records = Array.from({ length: KEYS }, (_, key) => ({
          topic,
          key: String(key),
          value: Buffer.from(key === 0 ? 'broken' : `{"id":"${key}","v":${version}}`),
        }));
        const done = await publisher.log.publish(records);
        if (done.isOk()) {
          broken++;
          for (const { key } of records) published.set(key, version);
        }
        await pause(20);
      }
    };
    const load = Promise.all([...Array.from({ length: KEYS }, (_, key) => putter(key)), publish()]);
    for (let kill = 0; kill < KILLS; kill++) {
      const before = new Map(put);
      await eventually(
        () =>
          expect([...put].filter(([key, version]) => version > (before.get(key) ?? 0) + 3)).toHaveLength(
            KEYS,
          ),
        { withinMs: 60_000 },
      );
      await started.kill();
      await started.start();
    }
    isOver = true;
    await load;
    const versionOf = async (path: string, name: string): Promise<number> => {
      const answer = await ask(path);
      expect(answer.status, path).toBe(200);
      return ((await answer.json()) as Record<string, { v: number }>)[name]!.v;
    };
    for (const [key, version] of put)
      expect(await versionOf(`/put/${key}`, 'put')).toBeGreaterThanOrEqual(version);
    // A record whose answer was lost may be there twice, so the stored version may be greater than the last known one.
    for (const [key, version] of published)
      if (key !== '0')
        await eventually(
          async () => expect(await versionOf(`/topic/${key}`, 'topic')).toBeGreaterThanOrEqual(version),
          { withinMs: 60_000 },
        );
    await eventually(
      async () => {
        const letters = await Promise.all(
          [0, 1].map((partition) => readAll(publisher.log, `${topic}.dead`, partition)),
        );
        expect(letters.flat().length).toBeGreaterThanOrEqual(broken);
      },
      { withinMs: 60_000 },
    );
  } finally {
    await app?.remove();
    await publisher.stop();
    await database.drop();
  }
};

describe('kill -9 under load', () => {
  test(
    '[F9] [F8] every acknowledged PUT is there, and every record of a topic is stored or a dead letter',
    () => survives({}),
    240_000,
  );
  test.skipIf(noKafka())(
    '[F9] [F8] the same on Kafka',
    async () => survives({ DOSKA_LOG: 'kafka', KAFKA_BROKERS: (await testBrokers()).join(',') }),
    240_000,
  );
});
