import {
  limitRepeats,
  shardGauge,
  sleep,
  type Clock,
  type ShardGauge,
  type ShardWork,
  type Telemetry,
} from '../../kernel/index.ts';
import type { ArchiveDueOffers } from './archive-due-offers.use-case.ts';

export type ArchiveShardNeeds = {
  readonly archiveDue: ArchiveDueOffers;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly everyMs: number;
  /** Offers that one call of `archiveDue` looks at. */
  readonly batch: number;
};

/** Moves the due offers of a shard to the archive, segment by segment, then waits. A failure is tried again by the next look. */
export const makeArchiveShard = ({
  archiveDue,
  clock,
  telemetry,
  everyMs,
  batch,
}: ArchiveShardNeeds): ShardWork => {
  const { metrics } = telemetry;
  const logger = limitRepeats(telemetry.logger, clock);
  const archivedTotal = metrics.counter({
    name: 'doska_gost_archived_total',
    help: 'Offers that were moved to the archive.',
  });
  const overdue = metrics.gauge({
    name: 'doska_gost_archive_overdue_seconds',
    help: 'How long the oldest offer that is due for the archive has been waiting.',
    labels: ['shard'],
  });
  const archiveShard = async (shard: number, signal: AbortSignal, waited: ShardGauge): Promise<void> => {
    while (!signal.aborted) {
      const outcome = await archiveDue(shard);
      if (outcome.isErr()) {
        logger.warn('archiving failed', { shard, error: outcome.error });
        await sleep(clock, everyMs, signal);
        continue;
      }
      const { found, archived, oldestAtUs } = outcome.value;
      archivedTotal.add(archived);
      waited.set(() =>
        oldestAtUs === undefined ? 0 : Math.max(0, (clock.nowMs() - oldestAtUs / 1_000) / 1_000),
      );
      if (found > 0 && archived === 0) logger.warn('no due offer could be archived', { shard, found });
      // A segment may be full before the batch is: then more offers are due.
      if (archived === 0 || (found < batch && archived === found)) await sleep(clock, everyMs, signal);
    }
  };
  return async (lease, signal, lost) => {
    const waited = shardGauge(overdue, lease, lost);
    await archiveShard(lease.shard, signal, waited).finally(waited.remove);
  };
};
