import { err, ok, type Result } from 'neverthrow';
import type {
  LogRecord,
  OversizeRecord,
  RecordsTooLarge,
  TopicInfo,
  UnknownPartition,
  UnknownTopic,
} from '../ports/message-log.port.ts';
import { partitionOf } from './partition-of.ts';

const utf8 = new TextEncoder();
/** What a record weighs: key, value and headers as bytes. */
export const recordBytes = ({
  key,
  value,
  headers,
}: Pick<LogRecord, 'key' | 'value' | 'headers'>): number => {
  let bytes = value.byteLength + utf8.encode(key).byteLength;
  for (const name in headers) bytes += utf8.encode(name).byteLength + utf8.encode(headers[name]).byteLength;
  return bytes;
};

export type Admitted = { readonly record: LogRecord; readonly topic: TopicInfo; readonly partition: number };

/** Looks at every record before anything is sent: what is refused here was not stored, none of it. */
export const admit = (
  records: readonly LogRecord[],
  topicOf: (name: string) => TopicInfo | undefined,
): Result<readonly Admitted[], UnknownTopic | UnknownPartition | RecordsTooLarge> => {
  const admitted: Admitted[] = [];
  const oversize: OversizeRecord[] = [];
  for (const [index, record] of records.entries()) {
    const topic = topicOf(record.topic);
    if (!topic) return err({ kind: 'UnknownTopic', topic: record.topic });
    const partition = partitionOf(record, topic.partitions);
    if (!Number.isInteger(partition) || partition < 0 || partition >= topic.partitions) {
      return err({ kind: 'UnknownPartition', topic: topic.name, partition, partitions: topic.partitions });
    }
    const bytes = recordBytes(record);
    if (bytes > topic.recordBytesMax)
      oversize.push({ index, topic: topic.name, key: record.key, bytes, bytesMax: topic.recordBytesMax });
    admitted.push({ record, topic, partition });
  }
  return oversize.length > 0 ? err({ kind: 'RecordsTooLarge', records: oversize }) : ok(admitted);
};
