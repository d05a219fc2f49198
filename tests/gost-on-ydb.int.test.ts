import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { catalogApi } from '@doska/app-catalog-api';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { CatalogTokens } from '@doska/app-wiring/catalog';
import { contexts } from '@doska/app-wiring';
import { gostScheduler } from '@doska/app-gost-scheduler';
import type { CategoryId } from '@doska/core/catalog';
import { emptyText, OFFER_UPDATES, type SellerId } from '@doska/core/gost';
import { partitionOf } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { backendName, openYdb, type OpenYdb } from '../packages/adapters-ydb/src/testing/open-ydb.ts';
import { GostTokens } from '@doska/app-wiring/gost';
import { migrateCommand } from '../packages/apps/cli/src/migrate.command.ts';
import { gostApi } from '../packages/apps/gost-api/src/index.ts';

let database: FreshDatabase, ydb: OpenYdb, host: RunningHost;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-on-ydb-'));
const settings = () => ({
  DOSKA_PROFILE: 'embedded',
  DATABASE_URL: database.url,
  DOSKA_DATA_DIR: dataDir,
  DOSKA_HTTP_PORT: '0',
  DOSKA_GRPC_PORT: '0',
  DOSKA_LOG_LEVEL: 'error',
  DOSKA_GOST_EXPORT_SHARDS: '2',
  DOSKA_GOST_STORE: 'ydb',
  YDB_CONNECTION_STRING: ydb.connectionString,
});
beforeAll(async () => {
  [database, ydb] = await Promise.all([freshDatabase(), openYdb()]);
  const { config } = loadConfig(settings(), contexts)._unsafeUnwrap();
  host = (await startHost('on-ydb-test', [catalogApi, gostApi, gostScheduler], config))._unsafeUnwrap();
  await eventually(() => host.container.get(CatalogTokens.cache).copy()._unsafeUnwrap());
});
afterAll(async () => {
  await host?.stop();
  await ydb?.close();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

test(`[G12] the offer store on ${backendName}, by configuration alone: from a draft to the topic`, async () => {
  const { useCases } = host.container.get(GostTokens.gost);
  const seller = 'ann' as SellerId;
  const owner = { kind: 'user', id: seller } as const;
  const category = 'rodents' as CategoryId;
  const draft = (await useCases.currentDraft({ userId: seller, category }))._unsafeUnwrap();
  const content = {
    ...emptyText,
    title: 'Хомяк',
    contacts: { name: undefined, phone: '+7 900 000-00-00', email: undefined },
  };
  (await useCases.saveDraft({ owner, draftId: draft.id, category, content }))._unsafeUnwrap();
  const { offerId } = (await useCases.publishDraft({ seller, draftId: draft.id }))._unsafeUnwrap();
  const page = (await useCases.listCabinet({ seller, preset: 'active', pageSize: 10 }))._unsafeUnwrap();
  expect(page.offers.map(({ id }) => id)).toEqual([offerId]);
  // Nothing of it is in PostgreSQL.
  expect((await database.pool.query('select from gost.offer')).rowCount).toBe(0);
  const log = host.container.get(Tokens.log);
  const partition = partitionOf({ key: offerId }, host.container.get(Tokens.config).partitions);
  await eventually(async () => {
    const reader = (await log.read(OFFER_UPDATES, partition, 'earliest'))._unsafeUnwrap();
    const keys = (await reader.next())._unsafeUnwrap().map(({ key }) => key);
    await reader.close();
    expect(keys).toEqual([offerId]);
  });
});
test('[G12] a start with another number of shards, or without a connection string, is refused by name', async () => {
  const { config } = loadConfig({ ...settings(), DOSKA_GOST_EXPORT_SHARDS: '3' }, contexts)._unsafeUnwrap();
  const refused = await startHost('on-ydb-test', [gostApi], config);
  expect(refused._unsafeUnwrapErr().lines.join()).toContain('DOSKA_GOST_EXPORT_SHARDS');
  const missing = loadConfig(
    { ...settings(), YDB_CONNECTION_STRING: undefined },
    contexts,
  )._unsafeUnwrapErr();
  expect(missing.lines).toContain('YDB_CONNECTION_STRING: needed by DOSKA_GOST_STORE=ydb');
});

test(`[B13] [G12] doska migrate migrates ${backendName} too, once`, async () => {
  for (const [name, value] of Object.entries({
    ...settings(),
    DOSKA_YDB_DIRECTORY: `migrated-${Date.now()}`,
  }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const said = async (dryRun: boolean) =>
    (await migrateCommand({ dryRun })).match(
      ({ text }) => text,
      ({ message }) => message,
    );
  expect(await said(true)).toMatch(/^pending: .*ydb\/0001/);
  expect(await said(false)).toMatch(/^applied: .*ydb\/0001/);
  expect(await said(true)).toBe('nothing is pending');
  expect(await said(false)).toBe('up to date');
});
