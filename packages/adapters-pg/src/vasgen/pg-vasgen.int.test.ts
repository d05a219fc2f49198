import { afterAll, beforeAll } from 'vitest';
import { vasgenStoreContracts } from '@doska/core/vasgen/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pgVasgenStores } from './pg-vasgen-stores.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

const TABLES = [
  'client',
  'epoch',
  'registry',
  'due',
  'element',
  'head',
  'queue_offset',
  'parked',
  'refusal',
  'erasure',
].map((table) => `vasgen.${table}`);
vasgenStoreContracts('PostgreSQL', {
  open: async () => {
    await db.pool.query(`truncate ${TABLES.join(', ')}`);
    const again = () => pgVasgenStores(db.pool);
    return { stores: again(), again, close: async () => {} };
  },
});
