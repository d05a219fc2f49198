import type { Backoff } from '@doska/core/kernel';
import type { ConsumerConfig, ProducerConfig, RetryOptions } from 'kafkajs';

export type KafkaSettings = {
  /** Producers at the same time. Each has one send in flight; a partition always goes by the same one. */
  readonly lanes: number;
  readonly sendRecordsMax: number;
  readonly sendBytesMax: number;
  /** Callers are refused when so many bytes wait already. */
  readonly queuedBytesMax: number;
  /** How often one producer object tries a send again: under the same sequence, so that a lost answer heals. At least 1. */
  readonly sendRetries: number;
  /** So many producer objects are used up, one after another, before a send is given up. */
  readonly producersMax: number;
  readonly compression: 'none' | 'gzip';

  /** A member that is not heard of for so long loses its partitions. */
  readonly sessionMs: number;
  readonly heartbeatMs: number;
  readonly rebalanceMs: number;
  /** The longest a fetch waits for data; also the longest an idle consumer takes to notice a resumed partition or a stop. */
  readonly pollMs: number;
  readonly fetchBytesMax: number;
  /** What a partition may hold fetched and unhandled before its fetching is paused. */
  readonly bufferBytesMax: number;
  readonly batchRecordsMax: number;
  readonly batchBytesMax: number;
  /** How long a stop waits for handlers unless told otherwise. */
  readonly drainMs: number;
  /** A consumer without any sign of life for so long is ended. */
  readonly stallMs: number;
  readonly retry: Backoff;

  /** Replicas of a topic that is made. */
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
/** For everything that is a question: a caller waits for the answer, so it is given up soon. */
export const askRetry: RetryOptions = {
  initialRetryTime: 100,
  maxRetryTime: 1_000,
  multiplier: 1.5,
  retries: 5,
};
/** A member that goes on trying keeps its id: after an outage it goes on at once instead of waiting for its own ghost. */
const consumeRetry: RetryOptions = { ...askRetry, retries: 1_000_000 };

/**
 * K1, K6: idempotent and without transactions, one request in flight; never makes a topic by accident. Its retries are
 * bounded, because a send is waited for until it is rejected (K5).
 */
export const producerConfig = ({ sendRetries }: KafkaSettings): ProducerConfig => ({
  idempotent: true,
  maxInFlightRequests: 1,
  allowAutoTopicCreation: false,
  retry: { ...askRetry, retries: sendRetries },
  // Every message says its partition; kafkajs is never asked to choose.
  createPartitioner:
    () =>
    ({ message }) =>
      message.partition ?? 0,
});

/** K8: a stop waits for the fetch under way, so fetches are short. `minBytes` stays 1: nobody waits for company. */
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
  // Restarts are ours: a new object with a clean state.
  retry: { ...consumeRetry, restartOnFailure: () => Promise.resolve(false) },
});
