import type { TopicMismatch, Unavailable } from '@doska/core/kernel';
import type { Config } from '../config/config.ts';
import { awayProblem, messageOf, startProblem, type StartProblem } from './problem.ts';

/** Why the topics of a process could not be prepared. */
export const topicProblem = (
  error: TopicMismatch | Unavailable,
  { log, kafkaBrokers }: Pick<Config, 'log' | 'kafkaBrokers'>,
): StartProblem => {
  if (error.kind === 'Unavailable') {
    const what = log === 'kafka' ? `Kafka at ${kafkaBrokers} (KAFKA_BROKERS)` : 'The message log';
    const why = error.cause === undefined ? error.what : messageOf(error.cause);
    return awayProblem(`${what} can't be reached: ${why}.`, error.retryable);
  }
  const { topic, partitions, configured } = error;
  return startProblem(
    `DOSKA_PARTITIONS: the topic ${topic} has ${partitions} partitions, and ${configured} are configured. The number of an existing topic can't change: set DOSKA_PARTITIONS=${partitions}.`,
  );
};
