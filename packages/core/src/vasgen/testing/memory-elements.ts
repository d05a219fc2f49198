import type { MemoryTx } from '../../kernel/testing.ts';
import type { QueueElement, QueueName } from '../queues/queue-element.ts';
import { keyOf, type ElementRow, type IdxRow } from './memory-rows.ts';

/** The next idx comes from the head row, inside of the transaction: so idx is in the order of commits. */
export const addElement = (
  tx: MemoryTx,
  { client, queue, shard }: { readonly client: string; readonly queue: QueueName; readonly shard: number },
  element: Omit<QueueElement, 'idx'>,
): void => {
  const head = keyOf.shard(client, queue, shard);
  const idx = (tx.get<IdxRow>('vasgen_head', head)?.idx ?? 0) + 1;
  tx.put('vasgen_head', head, { idx } satisfies IdxRow);
  const row: ElementRow = { ...element, idx, writtenAtMs: tx.nowMs };
  tx.put('vasgen_element', keyOf.element(client, queue, shard, idx), row);
};
