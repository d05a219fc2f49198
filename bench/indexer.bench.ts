import { randomInt, randomUUID } from 'node:crypto';
import { pgMessageLog } from '@doska/adapters-pg';
import { silentTelemetry } from '@doska/core/kernel';
import { indexTopic } from '@doska/core/vasgen';
import { clock } from './engine/own.ts';
import { databaseOn } from './gost/databases.ts';
import { runBench } from './harness.ts';
import { benchPostgres } from './postgres.ts';
import { drain, drainUnderSnapshot, publishOnly } from './vasgen/drain.ts';
import { client, vasgenOn } from './vasgen/product.ts';
import { visibility } from './vasgen/visible.ts';

const server = await benchPostgres();
const open = async (name: string) => {
  const { url, pool } = await databaseOn(server.url, name);
  const log = pgMessageLog({
    url,
    pool,
    clock,
    ids: { next: () => randomUUID() },
    random: { below: (n) => randomInt(n) },
    logger: silentTelemetry.logger,
  });
  const topic = { name: indexTopic(client), partitions: 4, retentionMs: 1e9, recordBytesMax: 1 << 20 };
  (await log.ensureTopics([topic]))._unsafeUnwrap();
  const vasgen = await vasgenOn(pool, log);
  const close = async (): Promise<void> => {
    await vasgen.close();
    await log.close();
    await pool.end();
  };
  return { pool, log, vasgen, close };
};
const queue = await open('queue');
const live = await open('live');
const visible = await visibility(live.vasgen);

/** `publish`: the same records by the log alone. `visible_…`: the reciprocal of the 95th percentile, a second. */
try {
  await drain(queue.pool, queue.vasgen);
  await visible.measure(0);
  await runBench({
    name: 'indexer',
    unit: 'a second',
    variants: [
      { name: 'publish', run: () => publishOnly(queue.log) },
      { name: 'drain', run: () => drain(queue.pool, queue.vasgen) },
      { name: 'drain_held_snapshot', run: () => drainUnderSnapshot(queue.pool, queue.vasgen) },
      { name: 'visible_idle', run: () => visible.measure(0) },
      { name: 'visible_at_1000', run: () => visible.measure(1_000) },
    ],
    ratios: [
      { name: 'drain', subject: 'drain', baseline: 'publish', goal: 0.4, stretch: 0.6 },
      {
        name: 'drain_held_snapshot',
        subject: 'drain_held_snapshot',
        baseline: 'drain',
        goal: 0.6,
        stretch: 0.85,
      },
    ],
  });
} finally {
  await visible.stop();
  await queue.close();
  await live.close();
  await server.stop();
}
