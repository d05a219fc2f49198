import { limitRepeats, sleep, type Clock, type MessageLog, type Telemetry } from '@doska/core/kernel';
import type { Part } from '@doska/app-composition';

type Group = { readonly group: string; readonly topic: string };
type Needs = {
  readonly app: string;
  readonly log: MessageLog;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly everyMs: number;
};

/** Exposes the lag of every consumer group as gauges, for alerts. */
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
  const failures = limitRepeats(telemetry.logger, clock);
  let shown: readonly Group[] = [];
  const sample = async (): Promise<void> => {
    const groups = await log.groups();
    if (groups.isErr()) failures.warn('the lag of consumer groups cannot be read', { error: groups.error });
    const measured: Group[] = [];
    for (const { group, topic } of groups.unwrapOr([])) {
      const partitions = await log.lag(group, topic);
      if (partitions.isErr()) {
        failures.warn('the lag of a consumer group cannot be read', {
          group,
          topic,
          error: partitions.error,
        });
        continue;
      }
      measured.push({ group, topic });
      const oldest = Math.min(
        ...partitions.value.map(({ oldestUnreadAtMs }) => oldestUnreadAtMs ?? Infinity),
      );
      lag.set(
        partitions.value.reduce((sum, one) => sum + one.lag, 0),
        { group, topic },
      );
      age.set(() => (Number.isFinite(oldest) ? Math.max(0, clock.nowMs() - oldest) / 1000 : 0), {
        group,
        topic,
      });
    }
    // A group that is gone or cannot be measured has no value: the last one would be shown as if it were true.
    for (const { group, topic } of shown) {
      if (measured.some((one) => one.group === group && one.topic === topic)) continue;
      lag.remove({ group, topic });
      age.remove({ group, topic });
    }
    shown = measured;
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
