#!/usr/bin/env node
/** Starts the platform the way a person does and checks how it lives and dies. */
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesOn, startPlatform, until } from './parts/platform.mjs';
import { command, inRoot, tally } from './parts/terminal.mjs';
import { prepare } from './prepare.mjs';

const HELP =
  'node scripts/smoke.mjs: boots npm start on a fresh folder, stops it, kills it, and looks for leftovers.';
const STOP_MS = 20_000;
const anyPort = { DOSKA_HTTP_PORT: '0', DOSKA_GRPC_PORT: '0' };
const counts = { passed: 0, failed: 0 };

const check = (what, isSo, detail = '') => {
  counts[isSo ? 'passed' : 'failed'] += 1;
  console.log(`${isSo ? 'ok    ' : 'FAILED'}  ${what}${isSo || detail === '' ? '' : `\n${detail}`}`);
  return isSo;
};

const boot = async (what, dataDir, env) => {
  const platform = await startPlatform(dataDir, env);
  if (check(`${what}: ready`, platform.run !== undefined, platform.output())) return platform;
  platform.giveUp();
  return undefined;
};

const stop = async (what, platform, dataDir) => {
  process.kill(platform.run.pid, 'SIGTERM');
  const end = await platform.ended(STOP_MS);
  check(
    `${what}: SIGTERM ends it with 0 within ${STOP_MS / 1000} s`,
    end?.exit === 0,
    `${JSON.stringify(end)}\n${platform.output()}`,
  );
  if (end === undefined) platform.giveUp();
  check(`${what}: no process is left`, await until(5_000, () => processesOn(dataDir).length === 0));
};

const firstLife = async (dataDir) => {
  const platform = await boot('first start', dataDir, anyPort);
  if (platform === undefined) return;
  console.log(`        ready in ${platform.readyMs} ms`);
  check('first start: /healthz', (await platform.ask('/healthz')) === 200);
  check('first start: /readyz', (await platform.ask('/readyz')) === 200);
  check('first start: run.json names the gRPC address', /:\d+$/.test(platform.run.grpcAddress ?? ''));
  await stop('first start', platform, dataDir);
};

const hardDeath = async (dataDir) => {
  const platform = await boot('second start', dataDir, anyPort);
  if (platform === undefined) return;
  console.log(`        ready in ${platform.readyMs} ms (goal: 3000)`);
  process.kill(platform.run.pid, 'SIGKILL');
  check(
    'kill -9: PostgreSQL is gone within 5 s',
    await until(5_000, () => processesOn(dataDir).length === 0),
  );
  platform.giveUp();
  const next = await boot('start after kill -9', dataDir, anyPort);
  if (next !== undefined) await stop('start after kill -9', next, dataDir);
};

const busyPort = async (dataDir) => {
  const taken = createServer();
  const mine = await new Promise((resolve) => {
    taken.once('error', () => resolve(false)); // another process has it: just as busy
    taken.listen(8080, '127.0.0.1', () => resolve(true));
  });
  const platform = await boot('default port busy', dataDir, {});
  if (platform !== undefined) {
    check('default port busy: the next free one is used', new URL(platform.run.httpUrl).port !== '8080');
    await stop('default port busy', platform, dataDir);
  }
  if (mine) taken.close();
};

await command(HELP, async () => {
  if (!existsSync(inRoot('packages/apps/platform/src/main.ts'))) {
    console.log(
      'SKIPPED: the smoke of npm start, because packages/apps/platform/src/main.ts does not exist yet',
    );
    console.log(tally({ passed: 0, failed: 0 }));
    return 0;
  }
  await prepare();
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'doska-smoke-'));
  chmodSync(base, 0o755); // as root the database runs as another user
  const dataDir = join(base, 'data');
  for (const part of [firstLife, hardDeath, busyPort]) await part(dataDir);
  rmSync(base, { recursive: true, force: true });
  console.log(tally(counts));
  return counts.failed > 0 ? 1 : 0;
});
