import { limitRepeats, sleep, type Clock, type Logger } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { DocumentQueues } from '../queues/document-queues.port.ts';
import type { QueueName } from '../queues/queue-element.ts';
import type { QueueBell } from './queue-bell.ts';

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
  for (let known: readonly number[] = []; !signal.aborted;) {
    const heads = await queues.heads(client, queue);
    if (heads.isErr())
      failures.warn('the heads of a queue can not be read', { client, queue, error: heads.error });
    else {
      const before = known;
      known = heads.value;
      bell.ring(
        client,
        queue,
        [...known.keys()].filter((shard) => known[shard] !== before[shard]),
      );
    }
    await sleep(clock, everyMs, signal);
  }
};
