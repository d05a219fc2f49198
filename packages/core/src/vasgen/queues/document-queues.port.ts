import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { FailedElement, QueuedDocument, QueueName } from './queue-element.ts';

export type QueueShard = {
  readonly client: ClientName;
  readonly queue: QueueName;
  readonly shard: number;
};
/** Who reads. Each group has its own offset. */
export type QueueReader = QueueShard & { readonly group: string };

/** The offset is not what the caller believed: another indexer works on this shard. Nothing was written. */
export type OffsetMoved = {
  readonly kind: 'OffsetMoved';
  readonly expected: number | undefined;
  readonly actual: number | undefined;
};

export type Advance = {
  /** The offset as the caller knows it; undefined if the group has none yet. */
  readonly from: number | undefined;
  /** The idx of the last element that is done. */
  readonly to: number;
  /** Elements that could not be converted. They are put into `failed` in the same transaction. */
  readonly failed: readonly FailedElement[];
  /** Elements that are not tried again by themselves. They are kept aside, one for each pk and epoch, the newest. */
  readonly parked: readonly FailedElement[];
};
export type ParkedCursor = { readonly epoch: number; readonly pk: string };

export interface DocumentQueues {
  /**
   * Elements after `after`, in the order of idx, at most `limit` (and 1000), and about 1 MB with their rows. Elements
   * appear in the order of idx: after idx n was read, no element below n appears.
   */
  read(shard: QueueShard, after: number, limit: number): ResultAsync<readonly QueuedDocument[], Unavailable>;
  /** The idx that the group has done, undefined before its first `advance`. */
  offset(reader: QueueReader): ResultAsync<number | undefined, Unavailable>;
  advance(reader: QueueReader, advance: Advance): ResultAsync<void, OffsetMoved | Unavailable>;
  /** Parked elements in the order of epoch and pk, at most `limit` (and 1000). */
  parked(
    client: ClientName,
    page: { readonly after?: ParkedCursor; readonly limit: number },
  ): ResultAsync<readonly FailedElement[], Unavailable>;
  /** Takes these off the parked ones. Unknown ones are no error. At most 1000. */
  unpark(client: ClientName, documents: readonly ParkedCursor[]): ResultAsync<void, Unavailable>;
  /** Adds elements for the rows of these documents as they are now; those without a row are left out. At most 1000. */
  resend(
    client: ClientName,
    queue: 'emergency' | 'bulk' | 'main',
    epoch: number,
    documents: readonly { readonly pk: string; readonly shard: number }[],
  ): ResultAsync<number, Unavailable>;
  /** The idx of the newest element of each shard of the queue; 0 where there was none. */
  heads(client: ClientName, queue: QueueName): ResultAsync<readonly number[], Unavailable>;
  /** The idx that the group has done in each shard of the queue; 0 before its first `advance`. */
  offsets(client: ClientName, queue: QueueName, group: string): ResultAsync<readonly number[], Unavailable>;
  /**
   * Deletes elements that every group has done and that were written before `beforeMs`, at most `limit`. A queue that no
   * group has read keeps all. Returns how many were deleted.
   */
  purge(shard: QueueShard, beforeMs: number, limit: number): ResultAsync<number, Unavailable>;
}
