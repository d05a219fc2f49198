import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase } from '@doska/test-setup/database';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cleanEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$|npm_)/.test(name)),
);
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The command as a person or a supervisor runs it; `npm` is the outermost process. */
const startByNpm = async (args: readonly string[]) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-signals-'));
  chmodSync(dataDir, 0o755);
  const database = await freshDatabase();
  const npm = spawn('npm', args, {
    cwd: root,
    env: {
      ...cleanEnv,
      DOSKA_DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
    },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => npm.on('exit', (code, signal) => resolve(code ?? signal)));
  const { pid } = await eventually(
    () => JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as { readonly pid: number },
    { withinMs: 40_000 },
  );
  onTestFinished(async () => {
    npm.kill('SIGKILL');
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
    await database.drop();
  });
  return { npm, pid, ended };
};

test.each([
  ['npm run app -- operations', 'SIGTERM'],
  ['npm run app -- operations', 'SIGINT'],
  ['npm start', 'SIGTERM'],
] as const)('[X17] %s: %s to npm stops the app, and npm exits with 0', async (line, signal) => {
  const { npm, pid, ended } = await startByNpm(line.split(' ').slice(1));
  npm.kill(signal);
  expect(await ended).toBe(0);
  expect(isAlive(pid)).toBe(false);
});
test('[X17] kill -9 of npm stops the app too', async () => {
  const { npm, pid, ended } = await startByNpm(['run', 'app', '--', 'operations']);
  npm.kill('SIGKILL');
  await ended;
  await eventually(() => expect(isAlive(pid)).toBe(false));
});
