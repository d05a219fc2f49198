import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '@doska/core/kernel/testing';

const SCRIPTS = fileURLToPath(new URL('../../scripts', import.meta.url));
// Several processes start one after another here. On a busy machine that takes tens of seconds.
const PATIENCE = { withinMs: 90_000 };
const TIMEOUT_MS = 120_000;
/** A step that says that it runs and then takes its time. */
const SLOW = `import { writeFileSync } from 'node:fs'; writeFileSync('running', ''); setTimeout(() => {}, 300_000);`;
const STEPS = {
  install: 'slow-npm/npm-cli.js',
  build: 'scripts/generate.mjs',
  tests: 'node_modules/vitest/vitest.mjs',
} as const;

/** A project with our commands, in which only the given step has something to do, and does it slowly. */
const projectWith = (step: keyof typeof STEPS): string => {
  const root = mkdtempSync(join(tmpdir(), 'doska-interrupt-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync(SCRIPTS, join(root, 'scripts'), { recursive: true });
  // The project has no contracts: these two steps would fail.
  for (const step of ['generate', 'describe']) rmSync(join(root, `scripts/${step}.mjs`));
  const files = {
    'package.json': '{"type":"module"}',
    'package-lock.json': '{}',
    'tsconfig.json': '{"references":[]}',
    'packages/empty': '',
    'node_modules/typescript/bin/tsc': '',
    ...(step === 'install' ? {} : { 'node_modules/.package-lock.json': '{}' }),
    [STEPS[step]]: SLOW,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
};
const runUntil = (root: string, script: string) => {
  const child = spawn(process.execPath, [join(root, 'scripts', `${script}.mjs`)], {
    cwd: root,
    env: { ...process.env, npm_execpath: join(root, STEPS.install) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exit = new Promise((resolve) => child.on('exit', resolve));
  const ended = exit.then((code) =>
    expect.fail(`ended with ${String(code)} before it was interrupted: ${said}`),
  );
  ended.catch(() => {});
  /** Waits for the condition, but not for a process that has ended. */
  const until = (check: () => void) => Promise.race([eventually(check, PATIENCE), ended]);
  return { child, said: () => said, exit, until };
};

test.each([
  ['prepare', 'install', 'SIGINT', 130],
  ['prepare', 'build', 'SIGINT', 130],
  ['prepare', 'build', 'SIGTERM', 143],
  ['start', 'build', 'SIGINT', 130],
  ['test', 'tests', 'SIGINT', 130],
] as const)(
  '[X13] %s during the step "%s": %s says "Interrupted." and exits with %i',
  { timeout: TIMEOUT_MS },
  async (...which) => {
    const [script, step, signal, code] = which;
    const root = projectWith(step);
    const { child, said, exit, until } = runUntil(root, script);
    await until(() => expect(existsSync(join(root, 'running')), said()).toBe(true));
    child.kill(signal);
    expect(await exit).toBe(code);
    expect(said().trimEnd().split('\n').at(-1)).toBe('Interrupted.');
    expect(existsSync(join(root, '.cache/prepare.lock'))).toBe(false);
  },
);
test(
  '[X13] a command that waits for the build of another one can be interrupted',
  { timeout: TIMEOUT_MS },
  async () => {
    const root = projectWith('build');
    mkdirSync(join(root, '.cache'));
    writeFileSync(join(root, '.cache/prepare.lock'), String(process.pid));
    const { child, said, exit, until } = runUntil(root, 'prepare');
    await until(() => expect(said()).toContain('waiting for it'));
    child.kill('SIGINT');
    expect(await exit).toBe(130);
    expect(said()).toContain('Interrupted.');
  },
);
