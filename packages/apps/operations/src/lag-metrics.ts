import { sleep, type Clock, type MessageLog, type Telemetry } from '@doska/core/kernel';
import type { Part } from '@doska/app-composition';

type Needs = {
  readonly app: string;
  readonly log: MessageLog;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly everyMs: number;
};

/** How far every group is behind, as gauges: what alerts are made of. */
export const lagMetrics = ({ app, log, clock, telemetry, everyMs }: Needs): Part => {
  const labels = ['group', 'topic'];
  const lag = telemetry.metrics.gauge({
    name: 'doska_log_lag_records',
    help: 'Records a group has not read yet.',
    labels,
  });
  const age = telemetry.metrics.gauge({
    name: 'doska_log_oldest_unread_seconds',
    help: 'Age of the oldest record a group has not read.',
    labels,
  });
  const sample = async (): Promise<void> => {
    for (const { group, topic } of (await log.groups()).unwrapOr([])) {
      const partitions = await log.lag(group, topic);
      if (partitions.isErr()) continue;
      const oldest = Math.min(
        ...partitions.value.map(({ oldestUnreadAtMs }) => oldestUnreadAtMs ?? Infinity),
      );
      lag.set(
        partitions.value.reduce((sum, one) => sum + one.lag, 0),
        { group, topic },
      );
      age.set(Number.isFinite(oldest) ? Math.max(0, clock.nowMs() - oldest) / 1000 : 0, { group, topic });
    }
  };
  return {
    app,
    name: 'lag-metrics',
    run: async (signal, ready) => {
      ready();
      while (!signal.aborted) {
        await sample();
        await sleep(clock, everyMs, signal);
      }
    },
  };
};
