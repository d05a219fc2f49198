import { gostCodecs } from '@doska/adapters-proto';
import { PRESETS, TOTALS } from '@doska/core/gost/storage';
import type { GostHarness } from '@doska/core/gost/testing';
import { realClock } from '@doska/core/kernel/testing';
import type { YdbClient } from '../driver/client.ts';
import { query } from '../driver/query.ts';
import { ydbGostStores } from '../gost/ydb-gost-stores.ts';

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
type OpenClient = () => Promise<{ readonly client: YdbClient; readonly close: () => Promise<void> }>;
/** The offer store's suites on a client. */
export const gostHarness = (open: OpenClient): GostHarness => ({
  codecs: gostCodecs,
  open: async () => {
    const { client, close } = await open();
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
});
