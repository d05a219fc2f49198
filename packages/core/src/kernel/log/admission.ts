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
import { utf8Bytes } from '../utf8-bytes.ts';

type Weighed = Pick<LogRecord, 'key' | 'value' | 'headers'>;

/** What a record weighs: key, value and headers as bytes. */
export const recordBytes = ({ key, value, headers }: Weighed): number => {
  let bytes = value.byteLength + utf8Bytes(key);
  for (const name in headers) bytes += utf8Bytes(name) + utf8Bytes(headers[name] ?? '');
  return bytes;
};
/** Without encoding anything: a UTF-16 unit takes 3 bytes of UTF-8 at most. */
const fitsSurely = ({ key, value, headers }: Weighed, bytesMax: number): boolean => {
  let units = key.length;
  for (const name in headers) units += name.length + (headers[name]?.length ?? 0);
  return value.byteLength + 3 * units <= bytesMax;
};

/** What one call has for one partition, in the order of the call. */
export type PartitionRecords<Topic extends TopicInfo = TopicInfo> = {
  readonly topic: Topic;
  readonly partition: number;
  readonly records: readonly LogRecord[];
};
type Shelf<Topic> = { readonly topic: Topic; readonly places: LogRecord[][] };

/**
 * Looks at every record before anything is sent, and sorts them by partition: what is refused here was not stored,
 * none of it.
 */
export const admit = <Topic extends TopicInfo>(
  records: readonly LogRecord[],
  topicOf: (name: string) => Topic | undefined,
): Result<readonly PartitionRecords<Topic>[], UnknownTopic | UnknownPartition | RecordsTooLarge> => {
  const admitted: PartitionRecords<Topic>[] = [];
  const oversize: OversizeRecord[] = [];
  const shelves = new Map<string, Shelf<Topic>>();
  let shelf: Shelf<Topic> | undefined; // neighbours mostly share a topic
  for (const [index, record] of records.entries()) {
    if (shelf?.topic.name !== record.topic) {
      const topic = topicOf(record.topic);
      if (!topic) return err({ kind: 'UnknownTopic', topic: record.topic });
      shelf = shelves.get(record.topic) ?? { topic, places: [] };
      shelves.set(record.topic, shelf);
    }
    const { topic, places } = shelf;
    const partition = partitionOf(record, topic.partitions);
    if (!Number.isInteger(partition) || partition < 0 || partition >= topic.partitions)
      return err({ kind: 'UnknownPartition', topic: topic.name, partition, partitions: topic.partitions });
    if (!fitsSurely(record, topic.recordBytesMax)) {
      const bytes = recordBytes(record);
      if (bytes > topic.recordBytesMax)
        oversize.push({ index, topic: topic.name, key: record.key, bytes, bytesMax: topic.recordBytesMax });
    }
    const place = places[partition];
    if (place) place.push(record);
    else admitted.push({ topic, partition, records: (places[partition] = [record]) });
  }
  return oversize.length > 0 ? err({ kind: 'RecordsTooLarge', records: oversize }) : ok(admitted);
};
