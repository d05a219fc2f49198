import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { silentTelemetry } from '@doska/core/kernel';
import {
  eventually,
  freshTopic,
  readAll,
  realClock,
  realIds,
  realRandom,
  record,
  recorder,
  valueOf,
} from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { createPool } from '../driver/pool.ts';
import { startEmbeddedPostgres } from '../embedded/index.ts';
import { migrate } from '../migrations/migrate.ts';
import { pgMessageLog, type PgMessageLog } from './pg-message-log.ts';

/** Real kill -9: of a publisher, of a consumer, of the server itself. */
const child = (
  script: string,
  ...args: readonly string[]
): { readonly process: ChildProcess; readonly lines: string[] } => {
  const path = fileURLToPath(new URL(`../../../../tests/children/${script}`, import.meta.url));
  const started = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  started.stdout.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  return { process: started, lines };
};
const logOn = (url: string, pool: FreshDatabase['pool']): PgMessageLog =>
  pgMessageLog({
    url,
    pool,
    clock: realClock,
    ids: realIds,
    random: realRandom,
    logger: silentTelemetry.logger,
    leaseTimes: { leaseMs: 1_500, beatMs: 150 },
  });

let database: FreshDatabase;
let log: PgMessageLog;
beforeAll(async () => {
  database = await freshDatabase();
  log = logOn(database.url, database.pool);
});
afterAll(async () => {
  await log.close();
  await database.drop();
});

test('[B8] a publisher killed with -9 loses no acknowledged record, and the order per key is kept', async () => {
  const { name } = (await log.ensureTopics([freshTopic(4)]))._unsafeUnwrap()[0]!;
  const publisher = child('publish-until-killed.mjs', database.url, name);
  await eventually(() => expect(publisher.lines.length).toBeGreaterThan(500));
  publisher.process.kill('SIGKILL');
  const stored = (await Promise.all([0, 1, 2, 3].map((partition) => readAll(log, name, partition)))).flat();
  const values = new Set(stored.map(valueOf));
  expect(publisher.lines.filter((line) => !values.has(line))).toEqual([]);
  for (let caller = 0; caller < 8; caller++) {
    const numbers = stored
      .filter(({ key }) => key === `caller-${caller}`)
      .map((one) => Number(valueOf(one).split(':')[1]));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  }
});
test('[B7] a member killed with -9 is replaced within seconds and nothing is lost', async () => {
  const { name } = (await log.ensureTopics([freshTopic(4)]))._unsafeUnwrap()[0]!;
  const victim = child('consume-until-killed.mjs', database.url, name, 'g');
  const send = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n++)
      (
        await log.publish(
          [0, 1, 2, 3].map((partition) => record(name, 'k', `${partition}:${n}`, { partition })),
        )
      )._unsafeUnwrap();
  };
  await send(0, 30);
  await eventually(() => expect(victim.lines).toHaveLength(120));
  victim.process.kill('SIGKILL');
  await send(30, 60);
  const { handler, values } = recorder();
  const subscription = log.subscribe({ group: 'g', topic: name, handler });
  onTestFinished(() => subscription.stop());
  await eventually(() => expect(new Set([...victim.lines, ...values()]).size).toBe(240), {
    withinMs: 10_000,
  });
});
test('[B8] after a kill -9 of the server under load every acknowledged record is there', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-kill-'));
  chmodSync(dataDir, 0o755);
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const first = (await startEmbeddedPostgres({ dataDir }))._unsafeUnwrap();
  const firstPool = createPool({ url: first.url, max: 4, applicationName: 'doska-test' });
  (await migrate(firstPool))._unsafeUnwrap();
  const before = logOn(first.url, firstPool);
  const { name } = (await before.ensureTopics([freshTopic(2)]))._unsafeUnwrap()[0]!;
  const publisher = child('publish-until-killed.mjs', first.url, name);
  await eventually(() => expect(publisher.lines.length).toBeGreaterThan(300));
  process.kill(Number(readFileSync(join(first.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
  publisher.process.kill('SIGKILL');
  await before.close();
  await firstPool.end();
  await first.stop();
  const second = await eventually(async () => (await startEmbeddedPostgres({ dataDir }))._unsafeUnwrap(), {
    withinMs: 20_000,
    everyMs: 500,
  });
  const pool = createPool({ url: second.url, max: 4, applicationName: 'doska-test' });
  const after = logOn(second.url, pool);
  const stored = new Set(
    (await Promise.all([0, 1].map((partition) => readAll(after, name, partition)))).flat().map(valueOf),
  );
  expect(publisher.lines.length).toBeGreaterThan(300);
  expect(publisher.lines.filter((line) => !stored.has(line))).toEqual([]);
  await after.close();
  await pool.end();
  await second.stop();
});
