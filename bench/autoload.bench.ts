import { randomInt, randomUUID } from 'node:crypto';
import { pgMessageLog } from '@doska/adapters-pg';
import { silentTelemetry } from '@doska/core/kernel';
import { autoload } from './gost/autoload.ts';
import { databaseOn } from './gost/databases.ts';
import { productOn, type BenchStores } from './gost/product.ts';
import { clock } from './gost/samples.ts';
import { edits, saveInFifties } from './gost/save.ts';
import { makeStock, type Stock } from './gost/stock.ts';
import { runBench } from './harness.ts';
import { benchPostgres } from './postgres.ts';

/** Offers of feeds through the topic, in batches of 500, against edits in commits of 50 without any topic. */
const stock: Stock = { first: 1_000_000_000_000, count: 20_000 };
const server = await benchPostgres();
const { url, pool } = await databaseOn(server.url, 'autoload');
await makeStock(pool, stock);
const saving = await productOn(pool, stock);
/** It begins with nothing in its memory; the first load of a feed puts it there. */
const loading = (): Promise<BenchStores> => productOn(pool, { ...stock, count: 0 });
const log = pgMessageLog({
  url,
  pool,
  clock,
  logger: silentTelemetry.logger,
  ids: { next: () => randomUUID() },
  random: { below: (n) => randomInt(n) },
});
try {
  await saveInFifties(saving, edits(stock)); // code that has never run is slow
  await autoload(await loading(), log);
  await runBench({
    name: 'autoload',
    unit: 'offers/s',
    variants: [
      { name: 'save_batch_50', run: () => saveInFifties(saving, edits(stock)) },
      { name: 'autoload', run: async () => autoload(await loading(), log) },
    ],
    ratios: [{ name: 'autoload', subject: 'autoload', baseline: 'save_batch_50', goal: 0.7 }],
  });
} finally {
  await log.close();
  await pool.end();
  await server.stop();
}
