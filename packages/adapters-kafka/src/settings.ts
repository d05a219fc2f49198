import type { Backoff } from '@doska/core/kernel';
import type { ConsumerConfig, ProducerConfig, RetryOptions } from 'kafkajs';

export type KafkaSettings = {
  /** Number of producers. Each has one send in flight. A partition always uses the same producer. */
  readonly lanes: number;
  readonly sendRecordsMax: number;
  readonly sendBytesMax: number;
  /** Refuses callers when this many bytes are waiting. */
  readonly queuedBytesMax: number;
  /** Retries of a send by one producer object. They use the same sequence, so a lost response does no harm. At least 1. */
  readonly sendRetries: number;
  /** How many producer objects are tried, one after another, before a send fails. */
  readonly producersMax: number;
  readonly compression: 'none' | 'gzip';

  /** A member without heartbeats for this time loses its partitions. */
  readonly sessionMs: number;
  readonly heartbeatMs: number;
  readonly rebalanceMs: number;
  /** The longest wait of a fetch. An idle consumer needs at most this time to notice a resumed partition or a stop. */
  readonly pollMs: number;
  readonly fetchBytesMax: number;
  /** Fetching of a partition pauses when it has this many unhandled bytes. */
  readonly bufferBytesMax: number;
  readonly batchRecordsMax: number;
  readonly batchBytesMax: number;
  /** The default time that a stop waits for handlers. */
  readonly drainMs: number;
  /** A consumer without any activity for this time is considered stuck and ended. */
  readonly stallMs: number;
  readonly retry: Backoff;

  /** Replicas of a new topic. */
  readonly replication: number;
};

export const defaultKafkaSettings: KafkaSettings = {
  lanes: 2,
  sendRecordsMax: 500,
  sendBytesMax: 900_000,
  queuedBytesMax: 256 << 20,
  sendRetries: 8,
  producersMax: 3,
  compression: 'none',
  sessionMs: 10_000,
  heartbeatMs: 1_000,
  rebalanceMs: 15_000,
  pollMs: 100,
  fetchBytesMax: 1 << 20,
  bufferBytesMax: 2 << 20,
  batchRecordsMax: 1_000,
  batchBytesMax: 1 << 20,
  drainMs: 10_000,
  stallMs: 60_000,
  retry: { firstMs: 100, factor: 2, maxMs: 30_000, jitter: 0.2 },
  replication: 1,
};

export const CONNECTION_TIMEOUT_MS = 1_000;
export const REQUEST_TIMEOUT_MS = 5_000;
/** For requests with a waiting caller, so they give up soon. */
export const askRetry: RetryOptions = {
  initialRetryTime: 100,
  maxRetryTime: 1_000,
  multiplier: 1.5,
  retries: 5,
};
/** A member that keeps retrying keeps its id. After an outage it continues at once and does not wait for its old session to expire. */
const consumeRetry: RetryOptions = { ...askRetry, retries: 1_000_000 };

/**
 * K1, K6: idempotent, without transactions, one request in flight. It never creates a topic by accident. Its retries are
 * limited, because a send is awaited until it is rejected (K5).
 */
export const producerConfig = ({ sendRetries }: KafkaSettings): ProducerConfig => ({
  idempotent: true,
  maxInFlightRequests: 1,
  allowAutoTopicCreation: false,
  retry: { ...askRetry, retries: sendRetries },
  // Every message has an explicit partition, so kafkajs never chooses one.
  createPartitioner:
    () =>
    ({ message }) =>
      message.partition ?? 0,
});

/** K8: a stop waits for the running fetch, so fetches are short. With `minBytes` 1 a fetch returns the first data at once. */
export const consumerConfig = (groupId: string, settings: KafkaSettings): ConsumerConfig => ({
  groupId,
  sessionTimeout: settings.sessionMs,
  heartbeatInterval: settings.heartbeatMs,
  rebalanceTimeout: settings.rebalanceMs,
  maxWaitTimeInMs: settings.pollMs,
  minBytes: 1,
  maxBytesPerPartition: settings.fetchBytesMax,
  maxBytes: settings.fetchBytesMax * 8,
  allowAutoTopicCreation: false,
  // The adapter restarts consumers itself, with a new object and a clean state.
  retry: { ...consumeRetry, restartOnFailure: () => Promise.resolve(false) },
});
