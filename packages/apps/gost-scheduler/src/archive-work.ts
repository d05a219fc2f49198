import { Tokens } from '@doska/app-composition';
import { makeArchiveDueOffers } from '@doska/core/gost';
import { sleep, type ShardWork } from '@doska/core/kernel';
import type { Container } from 'inversify';

/** Takes what has been retired long enough out of a shard, segment by segment, then waits. What fails comes again with the next look. */
export const archiveWork = (container: Container): ShardWork => {
  const { archiveEveryMs, archiveBatch } = container.get(Tokens.config);
  const [clock, ids, random] = [
    container.get(Tokens.clock),
    container.get(Tokens.ids),
    container.get(Tokens.random),
  ];
  const { logger, metrics } = container.get(Tokens.telemetry);
  const archived = metrics.counter({
    name: 'doska_gost_archived_total',
    help: 'Offers that went to the archive.',
  });
  const overdue = metrics.gauge({
    name: 'doska_gost_archive_overdue_seconds',
    help: 'How long the oldest offer that the archive is due has been waiting.',
    labels: ['shard'],
  });
  const archiveDue = makeArchiveDueOffers({
    ...{ ...container.get(Tokens.gostStores), clock, ids, random },
    ...{ blobs: container.get(Tokens.blobs), codec: container.get(Tokens.gostCodecs).archived },
    settings: container.get(Tokens.gostSettings),
  });
  return async ({ shard }, signal) => {
    while (!signal.aborted) {
      const outcome = await archiveDue(shard);
      if (outcome.isErr()) logger.warn('archiving failed', { shard, error: outcome.error });
      const {
        found,
        archived: moved,
        oldestAtUs,
      } = outcome.unwrapOr({
        ...{ found: 0, archived: 0, oldestAtUs: undefined },
      });
      archived.add(moved);
      if (outcome.isOk()) {
        const waitedMs = oldestAtUs === undefined ? 0 : clock.nowMs() - oldestAtUs / 1_000;
        overdue.set(Math.max(0, waitedMs / 1_000), { shard: String(shard) });
      }
      if (found > 0 && moved === 0)
        logger.warn('nothing that the archive is due could be moved', { shard, found });
      // A segment that was full before the batch was leaves more to do, too.
      if (moved === 0 || (found < archiveBatch && moved === found))
        await sleep(clock, archiveEveryMs, signal);
    }
  };
};
