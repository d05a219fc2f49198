import { afterAll, beforeAll } from 'vitest';
import { PRESETS, TOTALS } from '@doska/core/gost';
import { gostContracts, jsonGostCodecs, type GostHarness } from '@doska/core/gost/testing';
import { realClock } from '@doska/core/kernel/testing';
import { query } from '../driver/query.ts';
import { backendName, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { ydbGostStores } from './ydb-gost-stores.ts';

let db: OpenYdb;
beforeAll(async () => {
  db = await openYdb();
});
afterAll(() => db.close());

const MEDDLE = query({
  name: 'test/meddle',
  parameters: { seller: 'Utf8', preset: 'Uint32', by: 'Int64' },
  results: [],
  text: 'UPDATE gost_user_offer_presets_count SET counter = counter + $by WHERE seller = $seller AND preset = $preset;',
});
const MEDDLE_TOTAL = query({
  name: 'test/meddle-total',
  parameters: { seller: 'Utf8', total: 'Uint32', currency: 'Utf8', by: 'Int64' },
  results: [],
  text: `UPSERT INTO gost_user_total_counters (seller, total, currency, seq_no, value)
VALUES ($seller, $total, $currency, 99u, $by);`,
});
type Opened = Awaited<ReturnType<GostHarness['open']>>;
const harness: GostHarness = {
  open: async () => {
    const { client, close } = await openDirectory(db);
    const again = () => ydbGostStores({ client, codecs: jsonGostCodecs, clock: realClock });
    const meddle: Opened['meddle'] = async ({ seller, preset }, by) => {
      const work = client.write('meddle', (tx) => tx.commit(MEDDLE, { seller, preset: PRESETS[preset], by }));
      (await work)._unsafeUnwrap();
    };
    const meddleTotal: Opened['meddleTotal'] = async (seller, { total, currency, by }) => {
      const spoilt = { seller, total: TOTALS[total], currency, by };
      (await client.write('meddle', (tx) => tx.commit(MEDDLE_TOTAL, spoilt)))._unsafeUnwrap();
    };
    return { stores: again(), again, meddle, meddleTotal, close };
  },
};
gostContracts(backendName, harness);
