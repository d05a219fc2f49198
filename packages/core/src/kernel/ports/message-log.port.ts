import type { Result, ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';

export type RecordHeaders = Readonly<Record<string, string>>;

/** What a publisher hands over. Without `partition` the key decides: the same key always goes to the same partition. */
export type LogRecord = {
  readonly topic: string;
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers?: RecordHeaders;
  readonly partition?: number;
};

/**
 * A place in a log. `log` names the log and this very life of the topic: after a switch of the log or a re-created
 * topic it differs, so an old position can't be taken for a new one. `offset` is the record at this place.
 */
export type Position = {
  readonly log: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
};

export type Delivered = {
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: RecordHeaders;
  readonly timestampMs: number;
  readonly position: Position;
};

/** Never empty; records of one partition in their order. */
export type Batch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly Delivered[];
};

/**
 * What became of a batch. `handled` counts the records from its start that are finished (0 if left out): they are not
 * delivered again. `again` asks for the rest at once and is no failure; `blocked` asks for the rest not before
 * `retryAtMs`, and only this partition waits.
 */
export type BatchOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly handled?: number }
  | {
      readonly kind: 'blocked';
      readonly retryAtMs: number;
      readonly reason: string;
      readonly handled?: number;
    };

/** `signal` aborts when the partition was lost to another member: what the handler still does is no longer its business. */
export type BatchHandler = (batch: Batch, signal: AbortSignal) => Promise<BatchOutcome>;

export type UnknownTopic = { readonly kind: 'UnknownTopic'; readonly topic: string };
export type UnknownPartition = {
  readonly kind: 'UnknownPartition';
  readonly topic: string;
  readonly partition: number;
  readonly partitions: number;
};
export type OversizeRecord = {
  readonly index: number;
  readonly topic: string;
  readonly key: string;
  readonly bytes: number;
  readonly bytesMax: number;
};
export type RecordsTooLarge = {
  readonly kind: 'RecordsTooLarge';
  readonly records: readonly OversizeRecord[];
};
/** A publisher with a higher token was here, or this token went on past `sequence`'s place in another order. */
export type Fenced = {
  readonly kind: 'Fenced';
  readonly resource: string;
  readonly token: number;
  readonly highestToken: number;
};
/** The record at `position` is gone (pruned) or not there yet; the log holds `earliest` up to but not including `head`. */
export type PositionGone = {
  readonly kind: 'PositionGone';
  readonly position: Position;
  readonly earliest: number;
  readonly head: number;
};
/** The position speaks of another log, or of an earlier life of this topic. */
export type ForeignPosition = {
  readonly kind: 'ForeignPosition';
  readonly position: Position;
  readonly log: string;
};
export type TopicMismatch = {
  readonly kind: 'TopicMismatch';
  readonly topic: string;
  readonly partitions: number;
  readonly configured: number;
};

/**
 * Publishing under a lease. A log that fences keeps the highest (token, sequence) per resource: a lower token is
 * refused, and a sequence it has seen under the same token is a resend, acknowledged and not stored again.
 * No records at all under a fence store nothing, but from then on lower tokens are refused.
 * A log that doesn't fence ignores it; consumers are then safe by version.
 */
export type Fence = { readonly resource: string; readonly token: number; readonly sequence: number };

/** What a log promises beyond this port. */
export type LogPromises = {
  /** `publish` honours a fence. */
  readonly fences: boolean;
  /** The adapter can publish inside the caller's own database transaction. */
  readonly joinsTransactions: boolean;
};

export type PublishError = UnknownTopic | UnknownPartition | RecordsTooLarge | Fenced | Unavailable;

export interface LogPublisher {
  readonly promises: LogPromises;
  /**
   * Resolves when **all** records are durable. On `Unavailable` any of them may have been stored; on every other error
   * none was. Records of one key keep their order within a call, and between calls when the second
   * starts after the first was acknowledged.
   */
  publish(
    records: readonly LogRecord[],
    options?: { readonly fence?: Fence },
  ): ResultAsync<void, PublishError>;
}

export type SubscribeOptions = {
  readonly group: string;
  readonly topic: string;
  readonly handler: BatchHandler;
  readonly batchRecordsMax?: number;
  readonly batchBytesMax?: number;
};
/** The log's client has shown no sign of life for so long that it is taken for stuck: neither data nor failures. */
export type Stalled = { readonly kind: 'Stalled'; readonly topic: string; readonly silentMs: number };
export type SubscriptionFailure = UnknownTopic | PositionGone | ForeignPosition | TopicMismatch | Stalled;

export interface Subscription {
  /** Settles when the subscription is over: after `stop`, or with what made it impossible to go on. Never silent. */
  readonly ended: Promise<Result<void, SubscriptionFailure>>;
  /** Takes no new batches, lets the running handlers finish for at most `drainMs`, commits, hands its partitions over. */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}

export type ReadError = UnknownTopic | UnknownPartition | PositionGone | ForeignPosition | Unavailable;

/** A reader that keeps its own position. */
export interface LogReader {
  /** The next records in order; empty when none came within `waitMs`. After an error the reader stays where it was. */
  next(options?: {
    readonly recordsMax?: number;
    readonly waitMs?: number;
    readonly signal?: AbortSignal;
  }): ResultAsync<readonly Delivered[], ReadError>;
  /** Where `next` will go on: to be stored with the effect, and handed to `read` later. */
  position(): Position;
  close(): Promise<void>;
}

export interface LogConsumer {
  /**
   * Delivers every record of the topic to the group at least once, a batch per partition at a time and in order.
   * The position moves after the handler. A new group starts at the earliest record. A partition that is blocked or
   * slow never delays another. Members of a group share the partitions evenly; a dead member's are taken over within
   * seconds. A handler that throws is called again with backoff.
   */
  subscribe(options: SubscribeOptions): Subscription;
  /** Reads without a group, from `from` on; `earliest` = the oldest record that is kept. */
  read(topic: string, partition: number, from: Position | 'earliest'): ResultAsync<LogReader, ReadError>;
}

export type TopicSpec = {
  readonly name: string;
  readonly partitions: number;
  /**
   * Records older than this may go. Whether a group that is behind holds them back for a while is the log's own matter
   * (PostgreSQL: yes, Kafka: no); a group that lost its place is told so by `PositionGone` and never moved on.
   */
  readonly retentionMs: number;
  readonly recordBytesMax: number;
};
export type TopicInfo = TopicSpec & { readonly log: string };
/** `head` is the offset the next record will get; `committed` is undefined while the group has not begun. */
export type PartitionLag = {
  readonly partition: number;
  readonly committed: number | undefined;
  readonly head: number;
  readonly lag: number;
  readonly oldestUnreadAtMs: number | undefined;
};

export interface LogAdmin {
  /** Makes the topics that are missing. One that exists with another number of partitions is refused; nothing is made then. */
  ensureTopics(topics: readonly TopicSpec[]): ResultAsync<readonly TopicInfo[], TopicMismatch | Unavailable>;
  topics(): ResultAsync<readonly TopicInfo[], Unavailable>;
  /** Every (group, topic) that has begun to read and has a position kept. A log may forget those that nobody uses. */
  groups(): ResultAsync<readonly { readonly group: string; readonly topic: string }[], Unavailable>;
  lag(group: string, topic: string): ResultAsync<readonly PartitionLag[], UnknownTopic | Unavailable>;
}

/** Topics with partitions, records kept in order: the spine between the systems. Memory, PostgreSQL and Kafka keep the same promises. */
export interface MessageLog extends LogPublisher, LogConsumer, LogAdmin {
  /** Ends what the adapter holds open; subscriptions and readers are stopped first by their owners. */
  close(): Promise<void>;
}
