import type { Result, ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';

export type RecordHeaders = Readonly<Record<string, string>>;

/** A record to publish. Without `partition` the hash of the key chooses it, so one key always goes to one partition. */
export type LogRecord = {
  readonly topic: string;
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers?: RecordHeaders;
  readonly partition?: number;
};

/**
 * A place in a log. `log` identifies the log and the incarnation of the topic. It differs after the topic is created
 * again or the log is switched, so an old position is never mistaken for a new one. `offset` is the record at this place.
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
  /**
   * When the log stored the record, by the log's own clock. It may fall between two records of a partition. On a topic whose
   * `times` are the publisher's, it is what the publisher wrote.
   */
  readonly timestampMs: number;
  readonly position: Position;
};

/** Records of one partition in order. Never empty. */
export type Batch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly Delivered[];
};

/**
 * The outcome of a batch. `handled` is the number of finished records from the start of the batch, 0 by default; these
 * are not delivered again. `again` asks for the rest at once and is not a failure; if
 * nothing was handled, other work gets time before. `blocked` asks for the rest at
 * `retryAtMs`; only this partition waits. `later` asks for the rest at `retryAtMs` too, with what has come by then, and is
 * not a failure: the handler waits for more records.
 */
export type BatchOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly handled?: number }
  | { readonly kind: 'later'; readonly retryAtMs: number; readonly handled?: number }
  | {
      readonly kind: 'blocked';
      readonly retryAtMs: number;
      readonly reason: string;
      readonly handled?: number;
    };

/** `signal` aborts when another member has taken the partition. The handler must then stop its work. */
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
/** A publisher with a higher token has published, or this token has already published a later sequence. */
export type Fenced = {
  readonly kind: 'Fenced';
  readonly resource: string;
  readonly token: number;
  readonly highestToken: number;
};
/** The record at `position` was pruned or does not exist yet. The log holds `earliest` up to but not including `head`. */
export type PositionGone = {
  readonly kind: 'PositionGone';
  readonly position: Position;
  readonly earliest: number;
  readonly head: number;
};
/** The position belongs to another log, or to an earlier incarnation of this topic. */
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
 * Protects a publish under a lease. A log that fences keeps the highest (token, sequence) of each resource. It refuses a
 * lower token. It acknowledges a known sequence of the same token without storing it again, because that is a resend.
 * An empty publish under a fence stores nothing, but lower tokens are refused from then on.
 * A log that does not fence ignores this; its consumers must compare versions.
 */
export type Fence = { readonly resource: string; readonly token: number; readonly sequence: number };

/** Additional promises of a log that are not part of this port. */
export type LogPromises = {
  /** `publish` honours a fence. */
  readonly fences: boolean;
  /** The adapter can publish inside the caller's own database transaction. */
  readonly joinsTransactions: boolean;
};

export type PublishError = UnknownTopic | UnknownPartition | RecordsTooLarge | Fenced | Unavailable;

export type PublishOptions = {
  readonly fence?: Fence;
  /**
   * Asked right before the records are sent, and before each time they are sent again. If it returns false, they are not
   * sent and the call fails with `Unavailable`. For publishers under a lease, because a paused process may wake up late.
   */
  readonly isHeld?: () => boolean;
};

export interface LogPublisher {
  readonly promises: LogPromises;
  /**
   * Resolves when **all** records are durable. On `Unavailable` any of the records may be stored. On
   * `RecordsTooLarge` none of the records that it names is stored; others may be, if the log learned the limit only while
   * it sent. On every other error none is stored. Records of one key keep their order within a call, and between two calls if the second call starts
   * after the first was acknowledged.
   */
  publish(records: readonly LogRecord[], options?: PublishOptions): ResultAsync<void, PublishError>;
}

export type SubscribeOptions = {
  readonly group: string;
  readonly topic: string;
  readonly handler: BatchHandler;
  readonly batchRecordsMax?: number;
  readonly batchBytesMax?: number;
};
/** The log's client returned neither data nor errors for `silentMs`, so it is considered stuck. */
export type Stalled = { readonly kind: 'Stalled'; readonly topic: string; readonly silentMs: number };
export type SubscriptionFailure = UnknownTopic | PositionGone | ForeignPosition | TopicMismatch | Stalled;

export interface Subscription {
  /** Settles when the subscription ends: after `stop`, or with the failure that ended it. */
  readonly ended: Promise<Result<void, SubscriptionFailure>>;
  /** Takes no new batches, waits at most `drainMs` for running handlers, commits, and releases the partitions. */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}

export type ReadError = UnknownTopic | UnknownPartition | PositionGone | ForeignPosition | Unavailable;

/** Reads one partition. The caller stores the position. */
export interface LogReader {
  /** Returns the next records in order, or none after `waitMs`. After an error the position does not change. */
  next(options?: {
    readonly recordsMax?: number;
    readonly waitMs?: number;
    readonly signal?: AbortSignal;
  }): ResultAsync<readonly Delivered[], ReadError>;
  /** The position of the next `next`. Store it with the effect and pass it to `read` later. */
  position(): Position;
  close(): Promise<void>;
}

export interface LogConsumer {
  /**
   * Delivers every record of the topic to the group at least once. Each partition is delivered in order, one batch at a
   * time. The position moves after the handler has finished. A new group starts at the earliest record. A blocked or slow
   * partition never delays another one. Members share the partitions evenly and take over a dead member's partitions
   * within seconds. A handler that throws is called again with backoff.
   */
  subscribe(options: SubscribeOptions): Subscription;
  /** Reads without a group, starting at `from`. `earliest` is the oldest record that is kept. */
  read(topic: string, partition: number, from: Position | 'earliest'): ResultAsync<LogReader, ReadError>;
}

export type TopicSpec = {
  readonly name: string;
  readonly partitions: number;
  /**
   * Records older than this may be deleted. On PostgreSQL a group that is behind delays the deletion; on Kafka it does
   * not. A group whose position was deleted gets `PositionGone` and is never moved to another position.
   */
  readonly retentionMs: number;
  readonly recordBytesMax: number;
};
/** `times`: whose clock gives records their time. A topic that `ensureTopics` creates has the log's. */
export type TopicInfo = TopicSpec & { readonly log: string; readonly times: 'log' | 'publisher' };
/** `head` is the offset of the next record. `committed` is undefined until the group has started. */
export type PartitionLag = {
  readonly partition: number;
  readonly committed: number | undefined;
  readonly head: number;
  readonly lag: number;
  readonly oldestUnreadAtMs: number | undefined;
};

export interface LogAdmin {
  /** Creates missing topics. If one exists with another number of partitions, the call fails and creates nothing. */
  ensureTopics(topics: readonly TopicSpec[]): ResultAsync<readonly TopicInfo[], TopicMismatch | Unavailable>;
  topics(): ResultAsync<readonly TopicInfo[], Unavailable>;
  /** Lists every (group, topic) with a stored position. A log may drop positions of unused groups. */
  groups(): ResultAsync<readonly { readonly group: string; readonly topic: string }[], Unavailable>;
  lag(group: string, topic: string): ResultAsync<readonly PartitionLag[], UnknownTopic | Unavailable>;
}

/** Topics with ordered partitions; the systems exchange all events through it. Memory, PostgreSQL and Kafka adapters pass one suite. */
export interface MessageLog extends LogPublisher, LogConsumer, LogAdmin {
  /** Closes connections. Stop subscriptions and close readers first. */
  close(): Promise<void>;
}
