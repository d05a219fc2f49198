import { afterAll, beforeAll } from 'vitest';
import { gostCodecs } from '@doska/adapters-proto';
import { PRESETS, TOTALS, type PresetList } from '@doska/core/gost/storage';
import { gostContracts, type GostHarness } from '@doska/core/gost/testing';
import { realClock } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pgGostStores } from './pg-gost-stores.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

const TABLES = [
  'offer',
  'sale',
  'offer_history',
  'user_offer_presets',
  'user_offer_presets_count',
  'user_total_counters',
  'queue',
  'parked',
  'timer',
  'setting',
  'current_draft',
  'draft',
  'feed',
  'feed_progress',
  'archive',
  'archive_condemned',
].map((table) => `gost.${table}`);
const harness: GostHarness = {
  codecs: gostCodecs,
  open: async () => {
    await db.pool.query(`truncate ${TABLES.join(', ')}`);
    const again = () => pgGostStores({ pool: db.pool, codecs: gostCodecs, clock: realClock });
    const corruptCount = async ({ seller, preset }: PresetList, by: number): Promise<void> => {
      await db.pool.query(
        'update gost.user_offer_presets_count set counter = counter + $3 where seller = $1 and preset = $2',
        [seller, PRESETS[preset], by],
      );
    };
    const corruptTotal: Awaited<ReturnType<GostHarness['open']>>['corruptTotal'] = async (seller, move) => {
      await db.pool.query('insert into gost.user_total_counters values ($1, $2, $3, 99, $4)', [
        seller,
        TOTALS[move.total],
        move.currency,
        move.by,
      ]);
    };
    return {
      stores: again(),
      again,
      corruptCount: corruptCount,
      corruptTotal: corruptTotal,
      close: async () => {},
    };
  },
};
gostContracts('PostgreSQL', harness);
