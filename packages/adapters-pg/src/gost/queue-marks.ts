import type { Clock } from '@doska/core/kernel';

export type QueueMarkOptions = {
  /** No save takes longer from its decision to its commit, clocks of different machines included. */
  readonly lagMs?: number;
  /** How often a read begins at the very beginning all the same. */
  readonly rescanMs?: number;
};
export type QueueMarks = {
  /** From where the shard is read now. */
  readonly from: (shard: number) => number;
  /** `oldestAtUs`: the first record of an answer. */
  readonly seen: (shard: number, oldestAtUs: number | undefined) => void;
};

/**
 * Where reads of the queue begin: well behind the oldest record that was there the last time. What was deleted before it
 * is not passed over again and again, which under a long transaction of somebody else's (a backup, say) would take ever
 * longer. A commit that comes even later than the lag waits for the next read from the very beginning; it is never lost.
 */
export const queueMarks = (
  clock: Clock,
  { lagMs = 60_000, rescanMs = 10_000 }: QueueMarkOptions = {},
): QueueMarks => {
  const marks = new Map<number, { fromUs: number; rescanAtMs: number }>();
  return {
    from: (shard) => {
      const mark = marks.get(shard);
      const nowMs = clock.nowMs();
      if (mark && nowMs < mark.rescanAtMs) return mark.fromUs;
      marks.set(shard, { fromUs: mark?.fromUs ?? 0, rescanAtMs: nowMs + rescanMs });
      return 0;
    },
    seen: (shard, oldestAtUs) => {
      const mark = marks.get(shard);
      if (mark && oldestAtUs !== undefined) mark.fromUs = Math.max(0, oldestAtUs - lagMs * 1_000);
    },
  };
};
