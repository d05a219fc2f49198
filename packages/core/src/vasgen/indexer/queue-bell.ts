import { Signal } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { QueueName } from '../queues/queue-element.ts';

/** Tells the indexer of a shard that its queue has new elements. */
export type QueueBell = {
  /** Aborts at the next ring of the shard. Take it before you read the queue. */
  wait(client: ClientName, queue: QueueName, shard: number): AbortSignal;
  /** These shards of the queue have new elements. */
  ring(client: ClientName, queue: QueueName, shards: Iterable<number>): void;
};

/** Rings when this process writes. What other processes write is found by looking at the heads of the queue. */
export const makeQueueBell = (): QueueBell => {
  const signals = new Map<string, Signal>();
  const signalOf = (client: ClientName, queue: QueueName, shard: number): Signal => {
    const name = `${client}/${queue}/${shard}`;
    const found = signals.get(name) ?? new Signal();
    signals.set(name, found);
    return found;
  };
  return {
    wait: (client, queue, shard) => signalOf(client, queue, shard).wait,
    ring: (client, queue, shards) => {
      for (const shard of shards) signalOf(client, queue, shard).notify();
    },
  };
};
