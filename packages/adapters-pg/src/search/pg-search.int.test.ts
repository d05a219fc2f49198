import { afterAll, beforeAll } from 'vitest';
import { clickCountsContract, ctrStoresContract, parkingLotContract } from '@doska/core/search/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pgClickCounts } from './pg-click-counts.ts';
import { pgCtrStores } from './pg-ctr-stores.ts';
import { pgParkingLot } from './pg-parking-lot.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

clickCountsContract('PostgreSQL', {
  open: async () => {
    await db.pool.query('truncate search.shown, search.click_count');
    return { store: pgClickCounts(db.pool), close: async () => {} };
  },
});
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
