import { afterAll, beforeAll } from 'vitest';
import {
  vasgenConvergenceContract,
  vasgenStoreContracts,
  type VasgenHarness,
} from '@doska/core/vasgen/testing';
import { backendName, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { ydbVasgenStores } from './ydb-vasgen-stores.ts';

let db: OpenYdb;
beforeAll(async () => {
  db = await openYdb();
});
afterAll(() => db.close());

const harness: VasgenHarness = {
  open: async () => {
    const { client, close } = await openDirectory(db, { only: 'vasgen' });
    const again = () => ydbVasgenStores(client);
    return { stores: again(), again, close };
  },
};
vasgenStoreContracts(backendName, harness);
vasgenConvergenceContract(backendName, harness, { runs: 10 });
