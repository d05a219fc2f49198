import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kafkaMessageLog } from '@doska/adapters-kafka';
import { silentTelemetry } from '@doska/core/kernel';
import {
  eventually,
  freshTopic,
  realClock,
  realIds,
  realRandom,
  record,
  recorder,
} from '@doska/core/kernel/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { noKafka, testBrokers } from '@doska/test-setup/broker';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const programOf = (app: string): string => join(ROOT, `packages/apps/${app}/dist/main.js`);
/** Nothing of the product's variables may come from the machine that runs the tests. */
const cleanEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$|KAFKA_)/.test(name)),
);

describe.skipIf(noKafka())('npm start with DOSKA_LOG=kafka', () => {
  test('[B14] [B19] is ready, shows the groups of Kafka in doska status, and stops cleanly', async () => {
    const brokers = await testBrokers();
    const dataDir = mkdtempSync(join(tmpdir(), 'doska-e2e-'));
    chmodSync(dataDir, 0o755);
    const env = {
      ...cleanEnv,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG: 'kafka',
      KAFKA_BROKERS: brokers.join(','),
    };
    const platform = spawn(process.execPath, [programOf('platform')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => {
      platform.kill('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true });
    });
    let output = '';
    for (const stream of [platform.stdout, platform.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exit = new Promise((resolve) => platform.on('exit', resolve));

    const log = kafkaMessageLog({
      connection: { brokers },
      clock: realClock,
      ids: realIds,
      random: realRandom,
      logger: silentTelemetry.logger,
    });
    const { name } = (await log.ensureTopics([freshTopic(2)]))._unsafeUnwrap()[0]!;
    const { handler, news } = recorder();
    const subscription = log.subscribe({ group: 'somebody', topic: name, handler });
    (await log.publish([record(name, 'k', 'x')]))._unsafeUnwrap();
    await eventually(() => expect(news()).toEqual(['x']));
    await subscription.stop();
    await log.close();

    const { httpUrl } = await eventually(
      () => JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as { readonly httpUrl: string },
      { withinMs: 40_000 },
    );
    await eventually(async () => expect((await fetch(`${httpUrl}/readyz`)).status).toBe(200));
    const status = spawnSync(process.execPath, [programOf('cli'), '--json', 'status'], {
      env,
      encoding: 'utf8',
    });
    expect(status.status, status.stderr).toBe(0);
    const { lags, workers } = JSON.parse(status.stdout) as {
      readonly lags: readonly { readonly group: string; readonly topic: string; readonly lag: number }[];
      readonly workers: readonly { readonly name: string }[];
    };
    const ours = lags.filter(({ topic }) => topic === name);
    expect(ours.map(({ group, lag }) => [group, lag])).toEqual([
      ['somebody', 0],
      ['somebody', 0],
    ]);
    expect(workers.map((worker) => worker.name)).not.toContain('log-upkeep'); // Kafka sees to its retention itself
    platform.kill('SIGTERM');
    expect(await exit, output).toBe(0);
  });
  test('[B15] without brokers it refuses to start and names the missing setting', () => {
    const refused = spawnSync(process.execPath, [programOf('platform')], {
      env: { ...cleanEnv, DOSKA_LOG: 'kafka' },
      encoding: 'utf8',
    });
    expect(refused.status).toBe(78);
    expect(refused.stderr).toContain('KAFKA_BROKERS: needed by DOSKA_LOG=kafka');
  });
  test('[X18] unreachable brokers are waited for, then the start ends with a sentence', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'doska-e2e-'));
    chmodSync(dataDir, 0o755);
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const refused = spawnSync(process.execPath, [programOf('platform')], {
      env: {
        ...cleanEnv,
        DOSKA_DATA_DIR: dataDir,
        DOSKA_LOG: 'kafka',
        DOSKA_START_WAIT_MS: '1000',
        KAFKA_BROKERS: '127.0.0.1:1',
      },
      encoding: 'utf8',
    });
    expect(refused.status).toBe(69);
    expect(refused.stderr).toMatch(
      /^doska: Kafka at 127\.0\.0\.1:1 \(KAFKA_BROKERS\) can't be reached: .*\.\ndoska: Gave up after 1 s \(DOSKA_START_WAIT_MS\)\.\n$/,
    );
  });
});
