import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { vasgenIndexer } from '@doska/app-vasgen-indexer';
import { vasgenReceiver } from '@doska/app-vasgen-receiver';
import { vasgenSearcher } from '@doska/app-vasgen-searcher';
import { contexts } from '@doska/app-wiring';
import { parseRole } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleOf, missingLines } from './readme.ts';

const README = new URL('../packages/apps/vasgen-receiver/README.md', import.meta.url);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'doska-document-'));
/** Where the client looks for the platform. */
const runDir = join(dataDir, 'client');
let database: FreshDatabase;
let host: RunningHost;
beforeAll(async () => {
  database = await freshDatabase({ max: 2 });
  const env = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_VASGEN_CLIENTS: 'offers,things',
  };
  const { config } = loadConfig(env, contexts)._unsafeUnwrap();
  host = (await startHost('vasgen', [vasgenReceiver, vasgenIndexer, vasgenSearcher], config))._unsafeUnwrap();
  const roles = [parseRole('service')._unsafeUnwrap()];
  const issued = await host.container.get(Tokens.issueToken)({ subject: 'test', roles, ttlSec: 600 });
  mkdirSync(runDir);
  const run = { grpcAddress: host.run.grpcAddress, token: issued._unsafeUnwrap() };
  writeFileSync(join(runDir, 'run.json'), JSON.stringify(run));
  const ready = async () => expect((await fetch(`${host.run.httpUrl}/readyz`)).status).toBe(200);
  await eventually(ready, { withinMs: 60_000 });
}, 120_000);
afterAll(async () => {
  await host?.stop();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

const [example] = consoleOf(README);
test('[V1] [V9] a plain gRPC client that knows only the contracts pushes documents and finds them', async () => {
  const env = { PATH: process.env['PATH'], DOSKA_DATA_DIR: runDir };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', example!.command], { cwd: ROOT, env });
  expect(stderr).toBe('');
  const lines = stdout.trimEnd().split('\n');
  expect(missingLines(example!.expected, lines), stdout).toEqual([]);
}, 120_000);
