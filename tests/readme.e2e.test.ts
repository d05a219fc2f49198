import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@doska/core/kernel/testing';
import { consoleOf, missingLines } from './readme.ts';

/** Runs the examples of the tour and of the README against a platform that was started as the README says. */
const examples = ['docs/tour.md', 'README.md'].flatMap((document) =>
  consoleOf(new URL(`../${document}`, import.meta.url)).map(
    ({ command, expected }) => [document, command, expected] as const,
  ),
);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'doska-readme-'));
chmodSync(dataDir, 0o755);
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$)/.test(name)),
  ),
  DOSKA_DATA_DIR: dataDir,
};
type Run = { readonly httpUrl: string; readonly grpcAddress: string };

describe('documents', () => {
  let platform: ChildProcess, run: Run;
  beforeAll(async () => {
    platform = spawn(process.execPath, ['scripts/start.mjs'], {
      cwd: ROOT,
      env: { ...env, DOSKA_HTTP_PORT: '0', DOSKA_GRPC_PORT: '0' },
      stdio: 'ignore',
    });
    run = await eventually(() => JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as Run, {
      withinMs: 110_000,
    });
  });
  afterAll(async () => {
    const gone = new Promise((resolve) => platform.on('exit', resolve));
    platform.kill('SIGTERM');
    await gone;
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('the README has at least five examples, and the tour has more', () => {
    const count = (name: string) => examples.filter(([document]) => document === name).length;
    expect(count('README.md')).toBeGreaterThanOrEqual(5);
    expect(count('docs/tour.md')).toBeGreaterThan(count('README.md'));
  });
  test.each(examples)('[B19] [H7] the example in %s works: %s', async (_document, command, expected) => {
    const here = command
      .replaceAll('http://127.0.0.1:8080', run.httpUrl)
      .replaceAll('127.0.0.1:9090', run.grpcAddress);
    await eventually(
      () => {
        const { stdout, stderr, status } = spawnSync('sh', ['-c', here], {
          cwd: ROOT,
          env,
          encoding: 'utf8',
        });
        expect(stderr.replace(/^npm warn.*\n/gm, '')).toBe('');
        expect(status).toBe(0);
        const lines = stdout.trimEnd().split('\n');
        expect(missingLines(expected, lines), stdout).toEqual([]);
      },
      { withinMs: 20_000, everyMs: 500 },
    );
  });
});
