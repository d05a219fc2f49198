import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, startHost } from '@doska/app-composition';
import { loadCatalogFiles } from '@doska/adapters-files';
import { DEMO_DIR } from '@doska/app-catalog-api';
import { contexts } from '@doska/app-wiring';
import { CatalogTokens } from '@doska/app-wiring/catalog';
import { eventually } from '@doska/core/kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '@doska/test-setup/database';
import { apps } from './apps.ts';

test.each(apps.map((app) => [app.name, app] as const))(
  '[B14] [X19] %s runs alone: it starts, becomes ready when its calls work, and stops cleanly',
  async (name, app) => {
    const dataDir = mkdtempSync(join(tmpdir(), `doska-alone-${name}-`));
    const database = await freshDatabase();
    onTestFinished(async () => {
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    });
    const env = {
      DOSKA_PROFILE: 'embedded',
      DATABASE_URL: database.url,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
    };
    const { config } = loadConfig(env, contexts)._unsafeUnwrap();
    const host = (await startHost(name, [app], config))._unsafeUnwrap();
    const stop = () => host.stop();
    onTestFinished(async () => void (await stop()));
    const ready = () => fetch(`${host.run.httpUrl}/readyz`);
    if (name === 'gost-api') {
      expect(await (await ready()).json()).toMatchObject({
        failed: ['catalogue'],
        reasons: { catalogue: expect.stringContaining('no catalogue is loaded') as string },
      });
      const content = (await loadCatalogFiles(DEMO_DIR))._unsafeUnwrap();
      (
        await host.container.get(CatalogTokens.catalog).useCases.publish({ content, expected: 0 })
      )._unsafeUnwrap();
    }
    await eventually(async () => expect((await ready()).status).toBe(200));
    expect(await stop()).toEqual([]);
  },
);
