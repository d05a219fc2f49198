import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programsOf } from './readme.ts';

/** Another team's project: the packed core, an adapter of their own, our contract suite. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'doska-library-'));
const run = (command: string, args: readonly string[], cwd = project) =>
  spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, VITEST: undefined, NODE_ENV: undefined },
  });

const FOREIGN_ADAPTER = `
import { err, errAsync, ok, okAsync } from 'neverthrow';
import { genericStorageContract } from '@doska/core/kernel/testing';

const limit = 300_000;
const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const foreignStorage = ({ broken = false } = {}) => {
  const spaces = new Map();
  const of = (space) => spaces.get(space) ?? spaces.set(space, new Map()).get(space);
  const check = (space, key, expected) => {
    const actual = of(space).get(key)?.version ?? 0;
    return actual === expected || broken ? ok(actual) : err({ kind: 'VersionConflict', key, expected, actual });
  };
  return {
    get: (space, keys) => okAsync(keys.flatMap((key) => of(space).get(key) ?? [])),
    put: (space, key, value, expected) => {
      if (value.byteLength > limit) return errAsync({ kind: 'ValueTooLarge', key, bytes: value.byteLength, bytesMax: limit });
      const checked = check(space, key, expected).map((actual) => {
        of(space).set(key, { key, value: value.slice(), version: actual + 1 });
        return actual + 1;
      });
      return checked.isOk() ? okAsync(checked.value) : errAsync(checked.error);
    },
    remove: (space, key, expected) => {
      const checked = check(space, key, expected);
      if (checked.isErr()) return errAsync(checked.error);
      of(space).delete(key);
      return okAsync(undefined);
    },
    list: (space, { after, limit }) => {
      const keys = [...of(space).keys()].sort(byBytes).filter((key) => after === undefined || byBytes(key, after) > 0);
      return okAsync(keys.slice(0, limit).map((key) => of(space).get(key)));
    },
  };
};
genericStorageContract('a foreign adapter', {
  open: async () => ({ storage: foreignStorage({ broken: process.env.BROKEN === 'yes' }), close: async () => {} }),
  promises: { durable: false },
});
`;

describe('@doska/core as a library', () => {
  const pack = (folder: string): string => {
    const packed = run('npm', ['pack', '--silent', '--pack-destination', project], join(ROOT, folder));
    expect(packed.status, packed.stderr).toBe(0);
    return `file:${packed.stdout.trim().split('\n').at(-1)!}`;
  };
  beforeAll(() => {
    const core = pack('packages/core');
    const parts = pack('examples/snippet-parts');
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({
        name: 'foreign',
        private: true,
        type: 'module',
        dependencies: { '@doska/core': core, 'example-snippet-parts': parts, neverthrow: '8.2.0' },
      }),
    );
    const installed = run('npm', [
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
    ]);
    expect(installed.status, installed.stderr).toBe(0);
    // Their test tools. Linked instead of installed: what is shown here is the core, and it saves a minute.
    mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
    for (const name of ['vitest', 'fast-check'])
      symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }, 120_000);
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test('[B11] a foreign adapter is held to our suite, and a broken one is caught', () => {
    writeFileSync(join(project, 'foreign.test.js'), FOREIGN_ADAPTER);
    const suite = (broken: string) => {
      process.env['BROKEN'] = broken;
      const outcome = run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--root', '.']);
      delete process.env['BROKEN'];
      return outcome;
    };
    const right = suite('no');
    expect(right.status, right.stdout + right.stderr).toBe(0);
    expect(right.stdout).toMatch(/\d+ passed/);
    expect(suite('yes').status).toBe(1);
  });
  test('[B1] only what is exported can be imported', () => {
    writeFileSync(join(project, 'deep.mjs'), `await import('@doska/core/dist/kernel/errors.js');`);
    expect(run(process.execPath, ['deep.mjs']).stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
  test('[B12] the program in docs/how-to/library.md runs as it is', () => {
    const [program] = programsOf(new URL('../docs/how-to/library.md', import.meta.url));
    writeFileSync(join(project, 'readme.mjs'), program ?? '');
    const { stdout, stderr, status } = run(process.execPath, ['readme.mjs']);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout.trim()).toBe(`[ 'hello: run 1' ]`);
  });
  test('[F4] the program in docs/how-to/write-a-convertor.md runs with parts of another team’s package', () => {
    const [program] = programsOf(new URL('../docs/how-to/write-a-convertor.md', import.meta.url));
    writeFileSync(join(project, 'parts.mjs'), program ?? '');
    const { stdout, stderr, status } = run(process.execPath, ['parts.mjs']);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout.trim().split('\n')).toEqual(['it closes before it opens', 'Открыто с 9 до 21']);
  });
});
