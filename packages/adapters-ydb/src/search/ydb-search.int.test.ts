import { afterAll, beforeAll } from 'vitest';
import { ctrStoresContract, parkingLotContract } from '@doska/core/search/testing';
import { backendName, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { ydbCtrStores } from './ydb-ctr-stores.ts';
import { ydbParkingLot } from './ydb-parking-lot.ts';

let db: OpenYdb;
beforeAll(async () => {
  db = await openYdb();
});
afterAll(() => db.close());

ctrStoresContract(backendName, {
  open: async () => {
    const { client, close } = await openDirectory(db, { only: 'search' });
    return { stores: ydbCtrStores(client), close };
  },
});
parkingLotContract(backendName, {
  open: async () => {
    const { client, close } = await openDirectory(db, { only: 'search' });
    return { lot: ydbParkingLot(client), close };
  },
});
