import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig, startHost, Tokens, type Environment } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { eventually, readAll } from '@doska/core/kernel/testing';
import { startAppProcess, type AppProcess } from '@doska/test-setup/app-process';
import { expect } from 'vitest';
import { snippets } from '../index.ts';

const KEYS = 20;
const WITHIN = { withinMs: 60_000 };
const SECRET = 'only-for-this-test-and-long-enough';
let unique = 0;

/** The app as a process of its own, while clients PUT and a publisher writes the topic of a section. */
export type SnippetsUnderLoad = {
  readonly app: AppProcess;
  /** Waits until each client had more of its PUTs acknowledged. */
  readonly goesOn: () => Promise<void>;
  /** Ends the load, and expects every acknowledged PUT, and each record of the topic as a snippet or a dead letter. */
  readonly expectAll: () => Promise<void>;
  /** What PUTs were answered with so far. */
  readonly statuses: () => ReadonlySet<number>;
  readonly stop: () => Promise<void>;
};

/** A log of the same servers, in this process, with no topic of its own. */
const openLog = async (dataDir: string, settings: Environment) => {
  const { config } = loadConfig(
    {
      DOSKA_PROFILE: 'postgres',
      DOSKA_TOKEN_KEY: SECRET,
      DOSKA_SIGNING_SECRET: SECRET,
      DOSKA_DATA_DIR: dataDir,
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

export const snippetsUnderLoad = async (url: string, more: Environment): Promise<SnippetsUnderLoad> => {
  const folder = mkdtempSync(join(tmpdir(), 'doska-snippets-load-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const topic = `snippets-load-${process.pid}-${++unique}`;
  const config = file(
    `${topic}.pb.txt`,
    `Body { Service: "snippets" Output: json InputSameAsOutput: true InputForLB: json KeyExtractor: "json_id"
      Section { Name: "put" } Section { Name: "topic" Body { InputTopic: "${topic}" } } }`,
  );
  const settings = { DATABASE_URL: url, DOSKA_PARTITIONS: '2', ...more };
  const publisher = await openLog(folder, settings);
  const app = await startAppProcess('snippets', {
    ...(settings as Record<string, string>),
    DOSKA_SNIPPETS_CONFIG: config,
    DOSKA_SNIPPETS_PREFIXES: file(`${topic}.txt`, '1 put\n2 topic\n'),
    DOSKA_SNIPPETS_RATE_PER_MINUTE: '1000000',
  });
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${app.run().httpUrl}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${app.run().token}`, 'content-type': 'json' },
      signal: AbortSignal.timeout(5_000),
    });
  let isOver = false;
  let broken = 0;
  const put = new Map<number, number>();
  const published = new Map<string, number>();
  const statuses = new Set<number>();
  const putter = async (key: number): Promise<void> => {
    for (let version = 1; !isOver; version++) {
      const answer = await ask(`/put/${key}`, { method: 'PUT', body: `{"v":${version}}` }).catch(
        () => undefined,
      );
      if (answer) statuses.add(answer.status);
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
  const end = async (): Promise<void> => {
    isOver = true;
    await load;
  };
  const versionOf = async (path: string, name: string): Promise<number> => {
    const answer = await ask(path);
    expect(answer.status, path).toBe(200);
    return ((await answer.json()) as Record<string, { v: number }>)[name]!.v;
  };
  return {
    app,
    statuses: () => statuses,
    goesOn: async () => {
      const before = new Map(put);
      await eventually(
        () =>
          expect([...put].filter(([key, version]) => version > (before.get(key) ?? 0) + 3)).toHaveLength(
            KEYS,
          ),
        WITHIN,
      );
    },
    expectAll: async () => {
      await end();
      for (const [key, version] of put)
        expect(await versionOf(`/put/${key}`, 'put')).toBeGreaterThanOrEqual(version);
      // A record whose answer was lost may be there twice, so the stored version may be greater than the last known one.
      for (const [key, version] of published)
        if (key !== '0')
          await eventually(
            async () => expect(await versionOf(`/topic/${key}`, 'topic')).toBeGreaterThanOrEqual(version),
            WITHIN,
          );
      await eventually(async () => {
        const letters = await Promise.all(
          [0, 1].map((partition) => readAll(publisher.log, `${topic}.dead`, partition)),
        );
        expect(letters.flat().length).toBeGreaterThanOrEqual(broken);
      }, WITHIN);
    },
    stop: async () => {
      await end();
      await app.remove();
      await publisher.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
