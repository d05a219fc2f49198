import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryDatabase, memoryLogServer } from '@doska/core/kernel/testing';
import { RIGHT } from './breakage.ts';
import { brokenClickCounts } from './broken-clicks.ts';
import { brokenCtrStores } from './broken-ctr.ts';
import { brokenGost, GOST_SUITES } from './broken-gost.ts';
import { brokenLeaseStores } from './broken-leases.ts';
import { brokenLogs } from './broken-log.ts';
import { brokenParkingLots } from './broken-parking.ts';
import { brokenShardLeases } from './broken-shard-leases.ts';
import { brokenSnippetStores } from './broken-snippets.ts';
import { brokenStorages } from './broken-storage.ts';
import { brokenVasgen, VASGEN_SUITES } from './broken-vasgen.ts';

const nowMs = (): number => 0;
const suites = [
  { suite: 'MessageLog', id: 'B7', breakages: Object.values(brokenLogs(memoryLogServer(nowMs))).flat() },
  { suite: 'LeaseStore', id: 'B9', breakages: brokenLeaseStores(memoryDatabase({ nowMs })) },
  { suite: 'ShardLeases', id: 'B9', breakages: brokenShardLeases },
  ...GOST_SUITES.map((suite) => ({
    suite,
    id: 'G12',
    breakages: brokenGost.filter((one) => one.suite === suite),
  })),
  ...VASGEN_SUITES.map((suite) => ({
    suite,
    id: 'V6',
    breakages: brokenVasgen.filter((one) => one.suite === suite),
  })),
  { suite: 'SnippetStore', id: 'F9', breakages: brokenSnippetStores },
  { suite: 'ParkingLot', id: 'S4', breakages: brokenParkingLots },
  { suite: 'ClickCountStore', id: 'S15', breakages: brokenClickCounts },
  { suite: 'CtrStores', id: 'S5', breakages: brokenCtrStores },
  { suite: 'GenericStorage', id: 'B11', breakages: brokenStorages(memoryDatabase({ nowMs })) },
].map(({ suite, id, breakages }) => ({
  suite,
  id,
  breakages: breakages.map(({ name, noticedBy }) => ({ name, noticedBy })),
}));

type Told = { readonly fullName: string; readonly status: 'passed' | 'failed' | 'skipped' | 'pending' };
const inFull = (suite: string, adapter: string): string => `${suite} contract: ${adapter} `;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Each breakage meets the tests that must notice it, the right adapter all of those. */
const asked = suites.flatMap(({ suite, breakages }) => [
  ...breakages.map(({ name, noticedBy }) => ({ start: inFull(suite, name), titles: noticedBy })),
  { start: inFull(suite, RIGHT), titles: breakages.flatMap(({ noticedBy }) => noticedBy) },
]);
const pattern = asked
  .map(({ start, titles }) => `${escaped(start)}.*(?:${[...new Set(titles)].map(escaped).join('|')})`)
  .join('|');

let told: readonly Told[];
const folder = mkdtempSync(join(tmpdir(), 'doska-suites-'));
beforeAll(async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const report = join(folder, 'report.json');
  const args = ['run', '--config', 'tests/suites/vitest.config.ts', '--root', root, '-t', pattern];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  await new Promise<void>((resolve) => {
    const env = { ...process.env, VITEST: undefined, VITEST_WORKER_ID: undefined, VITEST_POOL_ID: undefined };
    const run = [vitest, ...args, '--reporter=json', `--outputFile=${report}`];
    execFile(process.execPath, run, { cwd: root, env, maxBuffer: 1 << 26 }, () => resolve()); // red is what we want
  });
  type Report = { readonly testResults: readonly { readonly assertionResults: readonly Told[] }[] };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  told = testResults.flatMap(({ assertionResults }) => assertionResults);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const statusOf = (start: string, title: string): readonly string[] =>
  told
    .filter(({ fullName }) => fullName.startsWith(start) && fullName.includes(title))
    .map(({ status }) => status);

describe.each(suites)('the $suite suite', ({ suite, id, breakages }) => {
  test(`[${id}] the right adapter passes what the broken ones fail`, () => {
    const titles = [...new Set(breakages.flatMap(({ noticedBy }) => noticedBy))];
    const outcomes = titles.map((title) => [title, ...statusOf(inFull(suite, RIGHT), title)]);
    expect(outcomes).toEqual(titles.map((title) => [title, 'passed']));
  });
  test.each(breakages)(`[${id}] notices $name`, ({ name, noticedBy }) => {
    const outcomes = noticedBy.map((title) => [title, ...statusOf(inFull(suite, name), title)]);
    expect(outcomes).toEqual(noticedBy.map((title) => [title, 'failed']));
  });
});
