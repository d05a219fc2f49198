import { afterAll, beforeAll } from 'vitest';
import { gostContracts } from '@doska/core/gost/testing';
import { gostHarness } from '../testing/gost-harness.ts';
import { backendName, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';

let db: OpenYdb;
beforeAll(async () => {
  db = await openYdb();
});
afterAll(() => db.close());

gostContracts(
  backendName,
  gostHarness(() => openDirectory(db)),
);
