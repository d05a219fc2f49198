import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = (name: string, ...args: string[]) =>
  spawnSync(process.execPath, [`scripts/${name}.mjs`, ...args], { cwd: root, encoding: 'utf8' });

test.each(['test', 'check', 'requirements', 'bench', 'kafka', 'smoke', 'prepare'])(
  '%s explains itself',
  (name) => {
    const { status, stdout } = script(name, '--help');
    expect(status).toBe(0);
    expect(stdout).not.toBe('');
  },
);

test('a path that does not exist is a failure, not an empty success', () => {
  const { status, stdout, stderr } = script('test', 'packages/nowhere');
  expect(status).toBe(1);
  expect(stderr).toContain('packages/nowhere');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed');
});

test('an app without a name gets the usage', () => {
  const { status, stderr } = script('app');
  expect(status).toBe(2);
  expect(stderr).toContain('npm run app -- NAME');
});
