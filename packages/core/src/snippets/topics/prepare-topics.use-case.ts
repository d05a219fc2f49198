import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import {
  deadTopicSpec,
  type LogAdmin,
  type TopicMismatch,
  type TopicSpec,
  type Unavailable,
} from '../../kernel/index.ts';
import { RETRY_TOPIC } from '../config/check-names.ts';
import type { TopicInput } from '../config/snippet-config.ts';

/** The topic's records have the times of their publishers, so a publisher whose clock is behind would lose updates. */
export type PublisherTimes = {
  readonly kind: 'PublisherTimes';
  readonly section: string;
  readonly topic: string;
};
export type PrepareTopicsError = PublisherTimes | TopicMismatch | Unavailable;

/** A retry holds a whole record and where it comes from. */
const RETRY_FRAME_BYTES = 64 * 1024;
const retryTopicSpec = (spec: TopicSpec): TopicSpec => ({
  ...spec,
  recordBytesMax: spec.recordBytesMax + RETRY_FRAME_BYTES,
});

/** Creates the missing input topics, their dead-letter topics and the topic of retries. Topics that exist keep their number of partitions. */
export const prepareTopics = (
  log: Pick<LogAdmin, 'topics' | 'ensureTopics'>,
  inputs: readonly TopicInput[],
  specOf: (name: string) => TopicSpec,
): ResultAsync<void, PrepareTopicsError> => {
  if (inputs.length === 0) return okAsync(undefined);
  return log.topics().andThen((existing): ResultAsync<void, PrepareTopicsError> => {
    const known = new Map(existing.map((one) => [one.name, one]));
    const wrong = inputs.find(({ topic }) => known.get(topic)?.times === 'publisher');
    if (wrong) return errAsync({ kind: 'PublisherTimes', section: wrong.section, topic: wrong.topic });
    const specs = [...new Set(inputs.map(({ topic }) => topic))].flatMap((topic) => {
      const spec = known.get(topic) ?? specOf(topic);
      const { name, partitions, retentionMs, recordBytesMax } = spec;
      const plain = { name, partitions, retentionMs, recordBytesMax };
      return [plain, deadTopicSpec(plain)];
    });
    const retries = retryTopicSpec(specOf(RETRY_TOPIC));
    const all = [...specs, retries, deadTopicSpec(retries)];
    const missing = all.filter(({ name }) => !known.has(name));
    return missing.length === 0 ? okAsync(undefined) : log.ensureTopics(missing).map(() => undefined);
  });
};
