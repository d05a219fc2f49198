import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';
import type { Delivered, PositionGone, TopicInfo, UnknownTopic } from './message-log.port.ts';

export type PartitionCursor = { readonly partition: number; readonly offset: number };
export type FetchLimits = { readonly recordsMax: number; readonly bytesMax: number };
export type Fetched = { readonly partition: number; readonly records: readonly Delivered[] };
export type Claim = {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly token: number;
};
/** Another member has claimed the partition with a higher token. */
export type ClaimLost = { readonly kind: 'ClaimLost' };
export type PositionCommit = { readonly partition: number; readonly offset: number; readonly token: number };

/**
 * What a log kept in a database has to offer so that the kernel can make consumer groups of it (`consumer-group.ts`).
 * Logs with groups of their own (Kafka) don't need it.
 */
export interface LogStorage {
  topic(name: string): ResultAsync<TopicInfo, UnknownTopic | Unavailable>;
  /** The group's position, the earliest record for a new group. From here on commits with a lower token are refused. */
  claim(claim: Claim): ResultAsync<{ readonly offset: number }, ClaimLost | Unavailable>;
  /** The next records of every cursor in one round trip. A cursor whose record was pruned, or lies past the head, is an error. */
  fetch(
    topic: TopicInfo,
    cursors: readonly PartitionCursor[],
    limits: FetchLimits,
  ): ResultAsync<readonly Fetched[], PositionGone | Unavailable>;
  /** Moves positions forward, all in one step; answers the partitions whose token is no longer the highest. */
  commit(
    group: string,
    topic: string,
    commits: readonly PositionCommit[],
  ): ResultAsync<readonly number[], Unavailable>;
  /** Grows whenever something may have been published to the topic, as far as this process has heard. */
  arrivals(topic: string): number;
  /** Resolves when `arrivals` is no longer `seen`, after `maxMs`, or when `signal` aborts. */
  waitForMore(topic: string, seen: number, maxMs: number, signal: AbortSignal): Promise<void>;
}
