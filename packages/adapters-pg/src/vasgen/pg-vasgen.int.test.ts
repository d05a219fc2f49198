import { afterAll, beforeAll } from 'vitest';
import {
  vasgenConvergenceContract,
  vasgenStoreContracts,
  type VasgenHarness,
} from '@doska/core/vasgen/testing';
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
  'searcher',
  'archive_segment',
  'archive_condemned',
].map((table) => `vasgen.${table}`);
const harness: VasgenHarness = {
  open: async () => {
    await db.pool.query(`truncate ${TABLES.join(', ')}`);
    const again = () => pgVasgenStores(db.pool);
    return { stores: again(), again, close: async () => {} };
  },
};
vasgenStoreContracts('PostgreSQL', harness);
vasgenConvergenceContract('PostgreSQL', harness, { runs: 60 });
