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

test('requirements are read from the titles, several ids each', () => {
  const found = JSON.parse(script('requirements', '--json').stdout) as Record<
    string,
    { title: string; file: string }[]
  >;
  const both = found['E1']!.filter(({ title }) => title.startsWith(['[E1]', '[E6]'].join(' ')));
  expect(both).toHaveLength(1);
  expect(found['E6']).toContainEqual(both[0]);
});

test('a requirement that no test shows fails the check and is named', () => {
  expect(script('requirements', '--check', 'E1', 'B13').status).toBe(0);
  const { status, stderr } = script('requirements', '--check', 'E1', 'ZZ99');
  expect(status).toBe(1);
  expect(stderr).toContain('ZZ99');
});

test('an app without a name gets the usage', () => {
  const { status, stderr } = script('app');
  expect(status).toBe(2);
  expect(stderr).toContain('npm run app -- NAME');
});
