import { Signal } from '../../kernel/index.ts';

/** Tells the exporter of a shard that its queue has new records. */
export type ExportBell = {
  /** Aborts at the next ring of the shard. Take it before you read the queue. */
  wait(shard: number): AbortSignal;
  /** The queues of these shards have new records. */
  ring(shards: Iterable<number>): void;
};

/** Rings when this process commits. What other processes commit is found by reading the queue again. */
export const makeExportBell = (): ExportBell => {
  const signals = new Map<number, Signal>();
  return {
    wait: (shard) => {
      const found = signals.get(shard) ?? new Signal();
      signals.set(shard, found);
      return found.wait;
    },
    ring: (shards) => {
      for (const shard of shards) signals.get(shard)?.notify();
    },
  };
};
