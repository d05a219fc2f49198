import { unavailable, type Unavailable } from '@doska/core/kernel';
import { ResultAsync } from 'neverthrow';

type KafkaError = {
  readonly type?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
};

/** The names of all protocol errors in an exception. kafkajs wraps them in retries, causes and aggregates. */
export const typesOf = (thrown: unknown): readonly string[] => {
  if (typeof thrown !== 'object' || thrown === null) return [];
  const { type, cause, errors = [] } = thrown as KafkaError;
  return [...(type === undefined ? [] : [type]), ...typesOf(cause), ...errors.flatMap(typesOf)];
};

const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
/** The broker refuses the batch of a send because of its size. */
export const isTooLarge = (thrown: unknown): boolean => typesOf(thrown).some((type) => TOO_LARGE.has(type));

/** Errors that a retry does not fix: size, permissions, names. */
const LASTING = new Set([
  ...TOO_LARGE,
  'INVALID_RECORD',
  'UNSUPPORTED_COMPRESSION_TYPE',
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_REPLICATION_FACTOR',
  'INVALID_CONFIG',
]);
export const isRetryable = (thrown: unknown): boolean => !typesOf(thrown).some((type) => LASTING.has(type));

/** The error text. It prefers the protocol's error names, because they are the most precise. */
const wordsOf = (what: string, thrown: unknown): string => {
  const types = [...new Set(typesOf(thrown))];
  if (types.length > 0) return `${what}: ${types.join(', ')}`;
  return thrown instanceof Error ? `${what}: ${thrown.message}` : what;
};

export const unavailableBy = (what: string, cause: unknown): Unavailable =>
  unavailable(wordsOf(what, cause), cause, isRetryable(cause));

/** The only place in this package that turns a driver exception into a value. It catches synchronous exceptions too. */
export const guard = <T>(what: string, work: () => Promise<T>): ResultAsync<T, Unavailable> =>
  ResultAsync.fromThrowable(work, (cause): Unavailable => unavailableBy(what, cause))();
