import { Signal } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { QueueName } from '../queues/queue-element.ts';

/** Tells indexers that a queue has new elements. */
export type QueueBell = {
  /** Aborts at the next ring. Take it before you read the queue. */
  wait(client: ClientName, queue: QueueName): AbortSignal;
  /** This process has written into the queue. */
  ring(client: ClientName, queue: QueueName): void;
};

/** Rings when this process writes. What other processes write is found by looking at the heads of the queue. */
export const makeQueueBell = (): QueueBell => {
  const signals = new Map<string, Signal>();
  const signalOf = (client: ClientName, queue: QueueName): Signal => {
    const name = `${client}/${queue}`;
    const found = signals.get(name) ?? new Signal();
    signals.set(name, found);
    return found;
  };
  return {
    wait: (client, queue) => signalOf(client, queue).wait,
    ring: (client, queue) => signalOf(client, queue).notify(),
  };
};
