import { limitRepeats, Signal, sleep, type Clock, type Logger } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { DocumentQueues } from '../queues/document-queues.port.ts';
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

export type HeadWatchNeeds = {
  readonly queues: Pick<DocumentQueues, 'heads'>;
  readonly bell: QueueBell;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly everyMs: number;
};
/** Looks at the heads of a queue, one statement for all its shards, and rings when one has moved. Ends with the signal. */
export const watchHeads = async (
  { queues, bell, clock, logger, everyMs }: HeadWatchNeeds,
  client: ClientName,
  queue: QueueName,
  signal: AbortSignal,
): Promise<void> => {
  const failures = limitRepeats(logger, clock);
  for (let known = ''; !signal.aborted;) {
    const heads = await queues.heads(client, queue);
    if (heads.isErr())
      failures.warn('the heads of a queue can not be read', { client, queue, error: heads.error });
    else if (known !== heads.value.join()) {
      known = heads.value.join();
      bell.ring(client, queue);
    }
    await sleep(clock, everyMs, signal);
  }
};
