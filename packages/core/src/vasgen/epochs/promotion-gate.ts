import type { PartitionLag } from '../../kernel/index.ts';
import type { QueueName } from '../queues/queue-element.ts';
import type { StoredReport } from '../searcher/searcher-report.ts';

/** What keeps a building epoch from serving, in words an operator can act on. */
export type Behind = { readonly what: string };

/** Queues that must be empty up to their heads. `failed` waits for operators, so it does not count. */
export const GATED_QUEUES = ['main', 'bulk', 'emergency'] as const satisfies readonly QueueName[];

/** Elements that were queued when the promotion was asked for and are not published yet. */
export const queueBehind = (
  queue: QueueName,
  heads: readonly number[],
  offsets: readonly number[],
): readonly Behind[] => {
  const left = heads.reduce((sum, head, shard) => sum + Math.max(0, head - (offsets[shard] ?? 0)), 0);
  return left === 0 ? [] : [{ what: `queue ${queue}: ${left} documents are not published yet` }];
};

/** The head of each partition of the index topic, in the log `log`. */
export type TopicHeads = {
  readonly log: string;
  readonly topic: string;
  readonly heads: readonly Pick<PartitionLag, 'partition' | 'head'>[];
};
/** Searchers whose index of the epoch has not applied everything up to the heads. Without any searcher queries have no answer. */
export const searchersBehind = (
  epoch: number,
  { log, topic, heads }: TopicHeads,
  searchers: readonly StoredReport[],
): readonly Behind[] => {
  if (searchers.length === 0) return [{ what: 'no searcher is running' }];
  return searchers.flatMap(({ searcher, indexes }) => {
    const index = indexes.find((one) => one.epoch === epoch);
    if (!index) return [{ what: `searcher ${searcher}: it has no index of epoch ${epoch} yet` }];
    if (!index.caughtUp)
      return [{ what: `searcher ${searcher}: its index of epoch ${epoch} has not caught up` }];
    const left = heads.reduce((sum, { partition, head }) => {
      const at = index.positions.find(
        (one) => one.log === log && one.topic === topic && one.partition === partition,
      );
      return sum + Math.max(0, head - (at?.offset ?? 0));
    }, 0);
    return left === 0 ? [] : [{ what: `searcher ${searcher}: ${left} records are not applied yet` }];
  });
};
