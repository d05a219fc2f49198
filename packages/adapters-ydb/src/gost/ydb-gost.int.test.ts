import { afterAll, beforeAll } from 'vitest';
import { gostCodecs } from '@doska/adapters-proto';
import { PRESETS, TOTALS } from '@doska/core/gost/storage';
import { gostContracts, type GostHarness } from '@doska/core/gost/testing';
import { realClock } from '@doska/core/kernel/testing';
import { query } from '../driver/query.ts';
import { backendName, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { ydbGostStores } from './ydb-gost-stores.ts';

let db: OpenYdb;
beforeAll(async () => {
  db = await openYdb();
});
afterAll(() => db.close());

const CORRUPT_COUNT = query({
  name: 'test/corrupt-count',
  parameters: { seller: 'Utf8', preset: 'Uint32', by: 'Int64' },
  results: [],
  text: 'UPDATE gost_user_offer_presets_count SET counter = counter + $by WHERE seller = $seller AND preset = $preset;',
});
const CORRUPT_TOTAL = query({
  name: 'test/corrupt-total',
  parameters: { seller: 'Utf8', total: 'Uint32', currency: 'Utf8', by: 'Int64' },
  results: [],
  text: `UPSERT INTO gost_user_total_counters (seller, total, currency, seq_no, value)
VALUES ($seller, $total, $currency, 99u, $by);`,
});
type Opened = Awaited<ReturnType<GostHarness['open']>>;
const harness: GostHarness = {
  codecs: gostCodecs,
  open: async () => {
    const { client, close } = await openDirectory(db);
    const again = () => ydbGostStores({ client, codecs: gostCodecs, clock: realClock });
    const corruptCount: Opened['corruptCount'] = async ({ seller, preset }, by) => {
      const work = client.write('corrupt', (tx) =>
        tx.commit(CORRUPT_COUNT, { seller, preset: PRESETS[preset], by }),
      );
      (await work)._unsafeUnwrap();
    };
    const corruptTotal: Opened['corruptTotal'] = async (seller, { total, currency, by }) => {
      const spoilt = { seller, total: TOTALS[total], currency, by };
      (await client.write('corrupt', (tx) => tx.commit(CORRUPT_TOTAL, spoilt)))._unsafeUnwrap();
    };
    return { stores: again(), again, corruptCount, corruptTotal, close };
  },
};
gostContracts(backendName, harness);
