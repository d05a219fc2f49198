import { Tokens } from '@doska/app-composition';
import { makeExportShard } from '@doska/core/gost';
import type { ShardWork } from '@doska/core/kernel';
import type { Container } from 'inversify';

/** The export of one shard, seen in the metrics. */
export const exportWork = (container: Container): ShardWork => {
  const { logger, metrics } = container.get(Tokens.telemetry);
  const [clock, config] = [container.get(Tokens.clock), container.get(Tokens.config)];
  const exported = metrics.counter({
    name: 'doska_gost_exported_total',
    help: 'Records that left the export queue.',
    labels: ['topic'],
  });
  const oldest = metrics.gauge({
    name: 'doska_gost_oldest_unexported_seconds',
    help: 'Age of the oldest change that was not exported yet.',
    labels: ['shard'],
  });
  return makeExportShard({
    ...{ queue: container.get(Tokens.gostStores).queue, log: container.get(Tokens.log), clock, logger },
    random: container.get(Tokens.random),
    settings: { batch: config.exportBatch, readAhead: config.exportReadAhead },
    onRead: ({ shard, oldestAtUs }) =>
      oldest.set(oldestAtUs === undefined ? 0 : Math.max(0, clock.nowMs() / 1_000 - oldestAtUs / 1e6), {
        shard: String(shard),
      }),
    onExported: (records) => {
      for (const { topic } of records) exported.add(1, { topic });
    },
  });
};
