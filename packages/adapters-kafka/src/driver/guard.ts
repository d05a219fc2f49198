import { unavailable, type Unavailable } from '@doska/core/kernel';
import { ResultAsync } from 'neverthrow';

type KafkaError = {
  readonly type?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
};

/** Every protocol error's name in what was thrown: kafkajs wraps them in retries, causes and aggregates. */
export const typesOf = (thrown: unknown): readonly string[] => {
  if (typeof thrown !== 'object' || thrown === null) return [];
  const { type, cause, errors = [] } = thrown as KafkaError;
  return [...(type === undefined ? [] : [type]), ...typesOf(cause), ...errors.flatMap(typesOf)];
};

/** What stays wrong however often it is tried: size, rights, names. */
const LASTING = new Set([
  ...['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'UNSUPPORTED_COMPRESSION_TYPE'],
  ...['TOPIC_AUTHORIZATION_FAILED', 'GROUP_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED'],
  ...[
    'SASL_AUTHENTICATION_FAILED',
    'INVALID_TOPIC_EXCEPTION',
    'INVALID_REPLICATION_FACTOR',
    'INVALID_CONFIG',
  ],
]);
export const isRetryable = (thrown: unknown): boolean => !typesOf(thrown).some((type) => LASTING.has(type));

/** In words: the protocol's own names where there are some, for they say most. */
const wordsOf = (what: string, thrown: unknown): string => {
  const types = [...new Set(typesOf(thrown))];
  if (types.length > 0) return `${what}: ${types.join(', ')}`;
  return thrown instanceof Error ? `${what}: ${thrown.message}` : what;
};

export const unavailableBy = (what: string, cause: unknown): Unavailable =>
  unavailable(wordsOf(what, cause), cause, isRetryable(cause));

/** The only place in this package where a thrown driver error becomes a value. Catches synchronous throws too. */
export const guard = <T>(what: string, work: () => Promise<T>): ResultAsync<T, Unavailable> =>
  ResultAsync.fromThrowable(work, (cause): Unavailable => unavailableBy(what, cause))();
