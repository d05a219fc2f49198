import { afterAll, beforeAll } from 'vitest';
import { ctrStoresContract, parkingLotContract } from '@doska/core/search/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pgCtrStores } from './pg-ctr-stores.ts';
import { pgParkingLot } from './pg-parking-lot.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

ctrStoresContract('PostgreSQL', {
  open: async () => {
    await db.pool.query('truncate search.click_rate, search.ctr_queue');
    return { stores: pgCtrStores(db.pool), close: async () => {} };
  },
});
parkingLotContract('PostgreSQL', {
  open: async () => {
    await db.pool.query('truncate search.parked');
    return { lot: pgParkingLot(db.pool), close: async () => {} };
  },
});
