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
 * What a log in a database must provide, so that the kernel can build consumer groups on it (`consumer-group.ts`).
 * Kafka has its own consumer groups and does not need this port.
 */
export interface LogStorage {
  topic(name: string): ResultAsync<TopicInfo, UnknownTopic | Unavailable>;
  /** Returns the group's position; a new group starts at the earliest record. Later commits with a lower token are refused. */
  claim(claim: Claim): ResultAsync<{ readonly offset: number }, ClaimLost | Unavailable>;
  /** Returns the next records of every cursor in one round trip. A cursor before the earliest record or past the head is an error. */
  fetch(
    topic: TopicInfo,
    cursors: readonly PartitionCursor[],
    limits: FetchLimits,
  ): ResultAsync<readonly Fetched[], PositionGone | Unavailable>;
  /** Moves positions forward in one step. Returns the partitions whose token is no longer the highest. */
  commit(
    group: string,
    topic: string,
    commits: readonly PositionCommit[],
  ): ResultAsync<readonly number[], Unavailable>;
  /** A counter that grows when this process learns of a possible publish to the topic. */
  arrivals(topic: string): number;
  /** Resolves when `arrivals` differs from `seen`, after `maxMs`, or when `signal` aborts. */
  waitForMore(topic: string, seen: number, maxMs: number, signal: AbortSignal): Promise<void>;
}
