import { randomInt, randomUUID } from 'node:crypto';
import { createPool, migrate, pgMessageLog } from '@doska/adapters-pg';
import { silentTelemetry, type Clock } from '@doska/core/kernel';
import { runBench } from './harness.ts';
import { consumeFilled, latencyAt } from './log/consume.ts';
import { insertPlainRows } from './log/limit.ts';
import { publishFor, publishUnderSnapshot } from './log/publish.ts';
import { benchPostgres } from './postgres.ts';

const clock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

const server = await benchPostgres();
const pool = createPool({ url: server.url, max: 8, applicationName: 'doska-bench' });
const migrated = await migrate(pool);
if (migrated.isErr()) throw new Error(JSON.stringify(migrated.error));
const log = pgMessageLog({
  url: server.url,
  pool,
  clock,
  ids: { next: () => randomUUID() },
  random: { below: (n) => randomInt(n) },
  logger: silentTelemetry.logger,
});

/** `limit_N`: pgbench, N plain rows a call. `publish_NxC`: C callers, N records a call. */
try {
  await runBench({
    name: 'log',
    unit: 'records/s',
    variants: [
      { name: 'limit_1', run: () => insertPlainRows(pool, server.url, 1) },
      { name: 'limit_100', run: () => insertPlainRows(pool, server.url, 100) },
      { name: 'limit_1000', run: () => insertPlainRows(pool, server.url, 1_000) },
      { name: 'publish_1x64', run: () => publishFor(pool, log, { batch: 1, callers: 64 }) },
      { name: 'publish_100x16', run: () => publishFor(pool, log, { batch: 100, callers: 16 }) },
      { name: 'publish_1000x16', run: () => publishFor(pool, log, { batch: 1_000, callers: 16 }) },
      { name: 'held_snapshot_1x64', run: () => publishUnderSnapshot(pool, log) },
      { name: 'consume', run: () => consumeFilled(pool, log) },
      { name: 'latency_30', run: () => latencyAt(pool, log, { perSecond: 30, records: 90 }) },
      { name: 'latency_1000', run: () => latencyAt(pool, log, { perSecond: 1_000, records: 3_000 }) },
    ],
    ratios: [
      { name: 'publish_1x64', subject: 'publish_1x64', baseline: 'limit_1', goal: 2 },
      { name: 'publish_100x16', subject: 'publish_100x16', baseline: 'limit_100', goal: 1.2 },
      { name: 'publish_1000x16', subject: 'publish_1000x16', baseline: 'limit_1000', goal: 1.5 },
    ],
  });
} finally {
  await log.close();
  await pool.end();
  await server.stop();
}
