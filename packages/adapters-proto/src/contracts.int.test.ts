import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const operations = 'proto/doska/operations/v1/operations.proto';
const stamp = 'packages/adapters-proto/src/generated/.stamp';
let copy: string;

/** A copy of what contracts are made of, to spoil. */
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'doska-contracts-'));
  for (const name of ['proto', 'buf.yaml', 'buf.gen.yaml', 'package.json', 'scripts/generate.mjs']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

const node = (cwd: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, BUF_CACHE_DIR: join(copy, '.buf') },
  });
  return { status, said: stdout + stderr };
};
const buf = (cwd: string, ...args: string[]) =>
  node(cwd, join(root, 'node_modules/@bufbuild/buf/bin/buf'), ...args);
const generate = (...args: string[]) => node(copy, 'scripts/generate.mjs', ...args);
const breaking = (cwd: string) => buf(cwd, 'breaking', 'proto', '--against', 'proto/base.binpb');
const edit = (from: string, to: string): void => {
  const before = readFileSync(join(copy, operations), 'utf8');
  expect(before).toContain(from);
  writeFileSync(join(copy, operations), before.replace(from, to));
};

test('[B16] the contracts keep the lint rules', () => {
  expect(buf(root, 'lint')).toEqual({ status: 0, said: '' });
});

test('[B16] a contract that breaks a lint rule is named', () => {
  edit('string version = 1;', 'string platformVersion = 1;');
  const { status, said } = buf(copy, 'lint');
  expect(status).not.toBe(0);
  expect(said).toContain('operations.proto');
  expect(said).toContain('platformVersion');
});

test('[B16] the contracts break nothing that was accepted', () => {
  expect(breaking(root)).toEqual({ status: 0, said: '' });
});

test.each([
  { name: 'a field that changes its type', from: 'uint32 restarts = 4;', to: 'string restarts = 4;' },
  { name: 'a field that is gone', from: '  string profile = 2;\n', to: '' },
  {
    name: 'a method that is gone',
    from: '  rpc GetStatus(GetStatusRequest) returns (GetStatusResponse) {\n    option (google.api.http).get = "/v1/operations/status";\n  }\n',
    to: '',
  },
])('[B16] $name is caught as breaking', ({ from, to }) => {
  edit(from, to);
  const { status, said } = breaking(copy);
  expect(status).not.toBe(0);
  expect(said).toContain('operations.proto');
});

test('[B16] a new field breaks nothing, and accepting makes it part of the promise', () => {
  edit('repeated PeriodicJob jobs = 5;', 'repeated PeriodicJob jobs = 5;\n  string note = 6;');
  expect(breaking(copy)).toEqual({ status: 0, said: '' });
  expect(generate('--accept')).toEqual({ status: 0, said: '' });
  edit('  string note = 6;\n', '');
  expect(breaking(copy).said).toContain('note');
});

test('[B16] generating twice does the work once, and again after a change', () => {
  expect(generate()).toEqual({ status: 0, said: '' });
  const first = statSync(join(copy, stamp)).ino;
  expect(generate()).toEqual({ status: 0, said: '' });
  expect(statSync(join(copy, stamp)).ino).toBe(first);
  edit('repeated PeriodicJob jobs = 5;', 'repeated PeriodicJob jobs = 5;\n  string note = 6;');
  expect(generate()).toEqual({ status: 0, said: '' });
  expect(
    readFileSync(
      join(copy, 'packages/adapters-proto/src/generated/doska/operations/v1/operations.ts'),
      'utf8',
    ),
  ).toContain('note');
});

test('[B16] a contract that does not compile leaves the last good code in place and says why', () => {
  expect(generate().status).toBe(0);
  edit('string version = 1;', 'strin version = 1;');
  const { status, said } = generate();
  expect(status).toBe(1);
  expect(said).toContain('strin');
  expect(existsSync(join(copy, stamp))).toBe(true);
});
