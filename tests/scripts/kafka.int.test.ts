import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '@doska/core/kernel/testing';
import { freePort, runningBroker } from '../../scripts/parts/kafka-broker.mjs';
import { noOwnBroker } from '@doska/test-setup/broker';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.skipIf(noOwnBroker())('[B8] npm run kafka: up, status, kill, up on the same data, down', async () => {
  const port = String(await freePort());
  const kafka = (command: string) =>
    spawnSync(process.execPath, ['scripts/kafka.mjs', command], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, KAFKA_PORT: port },
    });
  onTestFinished(() => void kafka('wipe'));
  expect(kafka('status')).toMatchObject({ status: 1, stdout: 'down\n' });
  const up = kafka('up');
  expect(up.stdout, up.stderr).toMatch(
    /^up in \d+ ms: Apache Kafka 4\.\S+, pid \d+, KAFKA_BROKERS=127\.0\.0\.1:/,
  );
  expect(kafka('up').stdout).toContain('already up');
  expect(kafka('status')).toMatchObject({ status: 0, stdout: expect.stringContaining(`127.0.0.1:${port}`) });
  expect(kafka('kill').stdout).toMatch(/^down in/);
  expect(kafka('status').stdout).toBe('down\n');
  expect(kafka('up').stdout).toMatch(/^up in/);
  expect(kafka('down').stdout).toMatch(/^down in/);
  expect(kafka('down').stdout).toBe('not running\n');
  expect(kafka('nonsense').status).toBe(64);
});

test.skipIf(noOwnBroker())(
  '[B8] a guarded broker dies with its starter, also when that is killed with -9',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), `doska-test-kafka-${process.pid}-guardian-`));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const port = await freePort();
    const controllerPort = await freePort();
    const program = `import { startBroker } from './scripts/parts/kafka-broker.mjs';
    await startBroker(${JSON.stringify({ dir, port, controllerPort, guarded: true })});
    console.log('ready'); setInterval(() => {}, 1000);`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void starter.kill('SIGKILL'));
    await new Promise((resolve) => starter.stdout.once('data', resolve));
    expect(await runningBroker(dir)).toBeGreaterThan(0);
    starter.kill('SIGKILL');
    await eventually(async () => expect(await runningBroker(dir)).toBe(0), { withinMs: 5_000 });
  },
);
