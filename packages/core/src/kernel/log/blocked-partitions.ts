import type { Cancel, Clock } from '../ports/clock.port.ts';
import type { Telemetry } from '../ports/telemetry.port.ts';

/** A partition whose first record could not be handled yet. */
export type BlockedPartition = {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly reason: string;
  readonly sinceMs: number;
};
type Place = Pick<BlockedPartition, 'group' | 'topic' | 'partition'>;

/** The partitions of this process that wait for a record to be tried again. */
export interface BlockedPartitions {
  /** The same record blocks the partition again: `sinceMs` of the first time stays. */
  blocked(partition: Omit<BlockedPartition, 'sinceMs'>): void;
  /** The record was handled, or the partition is no longer ours. */
  freed(place: Place): void;
  /** Those that are blocked for at least `afterMs`. */
  list(): readonly BlockedPartition[];
}

export type BlockedPartitionsNeeds = {
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  /** A partition that waits for less than this is not reported. */
  readonly afterMs?: number;
};
/** A short outage of a server is no news. */
export const BLOCKED_AFTER_MS = 30_000;

/** Reports each blocked partition once in the log, as long as it lasts as a gauge, and on request. */
export const makeBlockedPartitions = ({
  clock,
  telemetry: { logger, metrics },
  afterMs = BLOCKED_AFTER_MS,
}: BlockedPartitionsNeeds): BlockedPartitions => {
  const gauge = metrics.gauge({
    name: 'doska_log_blocked_seconds',
    help: 'How long the first unhandled record of a partition has been tried without success.',
    labels: ['group', 'topic', 'partition'],
  });
  const all = new Map<string, { at: BlockedPartition; readonly cancel: Cancel }>();
  const nameOf = ({ group, topic, partition }: Place): string => JSON.stringify([group, topic, partition]);
  const labelsOf = ({ group, topic, partition }: Place) => ({ group, topic, partition: String(partition) });
  const freed = (place: Place): void => {
    const entry = all.get(nameOf(place));
    if (!entry) return;
    entry.cancel();
    all.delete(nameOf(place));
    gauge.remove(labelsOf(place));
  };
  return {
    freed,
    blocked: (partition) => {
      const entry = all.get(nameOf(partition));
      if (entry?.at.offset === partition.offset) {
        entry.at = { ...partition, sinceMs: entry.at.sinceMs };
        return;
      }
      freed(partition);
      const at = { ...partition, sinceMs: clock.nowMs() };
      const report = (): void => {
        const known = all.get(nameOf(partition))?.at ?? at;
        logger.error('a partition is blocked by a record that cannot be handled', {
          ...known,
          since: new Date(known.sinceMs).toISOString(),
        });
        gauge.set(() => Math.max(0, clock.nowMs() - known.sinceMs) / 1_000, labelsOf(partition));
      };
      all.set(nameOf(partition), { at, cancel: clock.after(afterMs, report) });
    },
    list: () => [...all.values()].flatMap(({ at }) => (clock.nowMs() - at.sinceMs >= afterMs ? [at] : [])),
  };
};
