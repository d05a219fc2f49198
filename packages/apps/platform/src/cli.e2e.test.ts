import { execFile, spawn } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runningPlatform, type RunningPlatform } from './testing/running-platform.ts';

const run = promisify(execFile);
const PACKAGE = new URL('../../cli/', import.meta.url);
const BIN = fileURLToPath(new URL('bin/doska.mjs', PACKAGE));
let platform: RunningPlatform;
let env: Record<string, string>;

beforeAll(async () => {
  platform = await runningPlatform('cli', await freshDatabase());
  env = {
    PATH: process.env['PATH'] ?? '',
    TERM: 'xterm',
    DOSKA_URL: platform.host.run.grpcAddress,
    DOSKA_TOKEN: await platform.tokenOf('operator'),
  };
});
afterAll(async () => platform?.stop());

/** Inside a terminal of 60 columns, which `script` provides. Both streams come together. */
const inTerminal = async (command: string, more: Record<string, string> = {}): Promise<string> => {
  const { stdout } = await run(
    'script',
    ['-qec', `stty cols 60; ${process.execPath} ${BIN} ${command}`, '/dev/null'],
    {
      env: { ...env, ...more },
      encoding: 'utf8',
    },
  );
  return stdout;
};
const ESCAPE = '\u001b[';

test('[H8] the package has the program doska, and it can be run', async () => {
  const { bin } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')) as {
    bin: Record<string, string>;
  };
  const file = fileURLToPath(new URL(bin['doska']!, PACKAGE));
  accessSync(file, constants.X_OK);
  expect((await run(file, ['--version'], { env })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
test('[H8] tables fit the terminal, and colours are shown only where they are wanted', async () => {
  const shown = await eventually(() => inTerminal('status --wait'));
  expect(shown).toContain(`${ESCAPE}1m`);
  const plain = await inTerminal('status', { NO_COLOR: '1' });
  expect(plain).not.toContain(ESCAPE);
  const lines = plain.split(/\r?\n/);
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(60);
  expect(plain).toContain('…');
  const { stdout } = await run(process.execPath, [BIN, 'status'], { env });
  expect(stdout).not.toContain('…');
});
test('[H8] --wait answers when the platform works, and gives up when it never does', async () => {
  const { stdout } = await run(process.execPath, [BIN, '--json', 'status', '--wait', '30s'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ troubles: [] });
  const nowhere = { ...env, DOSKA_URL: '127.0.0.1:1' };
  await expect(
    run(process.execPath, [BIN, 'status', '--wait', '1s'], { env: nowhere }),
  ).rejects.toMatchObject({
    code: 69,
  });
});
test('[H8] --watch shows the status again and again until it is stopped', async () => {
  const child = spawn(process.execPath, [BIN, '--json', 'status', '--watch=1s'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = new Promise((resolve) => child.once('exit', resolve));
  let text = '';
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
  await eventually(() => expect(text.split('\n').length).toBeGreaterThan(2));
  child.kill('SIGINT');
  expect(await exit).toBe(0);
  for (const line of text.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('platform');
});
test('[H8] long work shows how far it is on a terminal, and leaves only its answer', async () => {
  const shown = await inTerminal('seller erase ann --yes');
  expect(shown).toContain('0 offers');
  expect(shown.split('\r\u001b[2K').at(-1)).toMatch(/^0 of 0 offers had content/);
  const { stderr } = await run(process.execPath, [BIN, 'seller', 'erase', 'ann', '--yes'], { env });
  expect(stderr).toBe('');
});
