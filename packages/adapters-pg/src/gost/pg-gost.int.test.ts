import { afterAll, beforeAll } from 'vitest';
import { PRESETS, type PresetList } from '@doska/core/gost';
import {
  cabinetContract,
  draftStoreContract,
  exportQueueContract,
  jsonGostCodecs,
  offerStoreContract,
  type GostHarness,
} from '@doska/core/gost/testing';
import { realClock } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '../../../../tests/setup/database.ts';
import { pgGostStores } from './pg-gost-stores.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

const TABLES = [
  ...['offer_head', 'offer', 'offer_history', 'user_offer_presets', 'user_offer_presets_count'],
  ...['user_total_counters', 'queue', 'expiry', 'setting', 'current_draft', 'draft'],
].map((table) => `gost.${table}`);
const harness: GostHarness = {
  open: async () => {
    await db.pool.query(`truncate ${TABLES.join(', ')}`);
    const again = () => pgGostStores({ pool: db.pool, codecs: jsonGostCodecs, clock: realClock });
    const meddle = async ({ seller, preset }: PresetList, by: number): Promise<void> => {
      await db.pool.query(
        'update gost.user_offer_presets_count set counter = counter + $3 where seller = $1 and preset = $2',
        [seller, PRESETS[preset], by],
      );
    };
    return { stores: again(), again, meddle, close: async () => {} };
  },
};
for (const contract of [offerStoreContract, draftStoreContract, exportQueueContract, cabinetContract])
  contract('PostgreSQL', harness);
