import { afterAll, beforeAll } from 'vitest';
import { PRESETS, TOTALS, type PresetList } from '@doska/core/gost';
import { gostContracts, jsonGostCodecs, type GostHarness } from '@doska/core/gost/testing';
import { realClock } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '../../../../tests/setup/database.ts';
import { pgGostStores } from './pg-gost-stores.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

const TABLES = [
  ...['offer', 'sale', 'offer_history', 'user_offer_presets', 'user_offer_presets_count'],
  ...['user_total_counters', 'queue', 'timer', 'setting', 'current_draft', 'draft', 'feed', 'feed_progress'],
  ...['archive', 'archive_condemned'],
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
    const meddleTotal: Awaited<ReturnType<GostHarness['open']>>['meddleTotal'] = async (seller, move) => {
      await db.pool.query('insert into gost.user_total_counters values ($1, $2, $3, 99, $4)', [
        ...[seller, TOTALS[move.total], move.currency, move.by],
      ]);
    };
    return { stores: again(), again, meddle, meddleTotal, close: async () => {} };
  },
};
gostContracts('PostgreSQL', harness);
