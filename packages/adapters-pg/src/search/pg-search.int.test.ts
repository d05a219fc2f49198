import { afterAll, beforeAll } from 'vitest';
import { ctrStoresContract } from '@doska/core/search/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pgCtrStores } from './pg-ctr-stores.ts';

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
