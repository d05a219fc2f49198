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

/** How many bytes a text has as UTF-8, without making them: this is asked of every record. */
const utf8Bytes = (text: string): number => {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // Both halves of a surrogate pair count two; a half alone is encoded as U+FFFD, three bytes.
    const isPaired =
      unit >= 0xd800 &&
      unit < 0xdc00 &&
      at + 1 < text.length &&
      (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    bytes += unit < 0x800 ? 1 : 2;
    if (isPaired) at++;
  }
  return bytes;
};
/** What a record weighs: key, value and headers as bytes. */
export const recordBytes = ({
  key,
  value,
  headers,
}: Pick<LogRecord, 'key' | 'value' | 'headers'>): number => {
  let bytes = value.byteLength + utf8Bytes(key);
  for (const name in headers) bytes += utf8Bytes(name) + utf8Bytes(headers[name] ?? '');
  return bytes;
};

export type Admitted = {
  readonly record: LogRecord;
  readonly topic: TopicInfo;
  readonly partition: number;
  readonly bytes: number;
};

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
    admitted.push({ record, topic, partition, bytes });
  }
  return oversize.length > 0 ? err({ kind: 'RecordsTooLarge', records: oversize }) : ok(admitted);
};
