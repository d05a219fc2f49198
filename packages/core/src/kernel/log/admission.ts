import { err, ok, type Result } from 'neverthrow';
import type {
  LogRecord,
  OversizeRecord,
  RecordsTooLarge,
  TopicInfo,
  UnknownPartition,
  UnknownTopic,
} from '../ports/message-log.port.ts';
import { unavailable, type Unavailable } from '../errors.ts';
import { partitionOf } from './partition-of.ts';
import { utf8Bytes } from '../utf8-bytes.ts';

/** The answer to a publish whose lease ended before the records were sent. */
export const leaseEnded = (): Unavailable =>
  unavailable('log.publish: the lease ended before the records were sent', undefined, false);

type Weighed = Pick<LogRecord, 'key' | 'value' | 'headers'>;

/** The size of a record in bytes: key, value and headers. */
export const recordBytes = ({ key, value, headers }: Weighed): number => {
  let bytes = value.byteLength + utf8Bytes(key);
  for (const name in headers) bytes += utf8Bytes(name) + utf8Bytes(headers[name] ?? '');
  return bytes;
};
/** An upper bound without encoding: a UTF-16 unit takes at most 3 bytes in UTF-8. */
const fitsSurely = ({ key, value, headers }: Weighed, bytesMax: number): boolean => {
  let units = key.length;
  for (const name in headers) units += name.length + (headers[name]?.length ?? 0);
  return value.byteLength + 3 * units <= bytesMax;
};

/** The records of one call for one partition, in the order of the call. */
export type PartitionRecords<Topic extends TopicInfo = TopicInfo> = {
  readonly topic: Topic;
  readonly partition: number;
  readonly records: readonly LogRecord[];
};
type TopicRecords<Topic> = { readonly topic: Topic; readonly places: LogRecord[][] };

/**
 * Checks every record before anything is sent, and groups the records by partition. If it refuses, no record of the call
 * is stored.
 */
export const admit = <Topic extends TopicInfo>(
  records: readonly LogRecord[],
  topicOf: (name: string) => Topic | undefined,
): Result<readonly PartitionRecords<Topic>[], UnknownTopic | UnknownPartition | RecordsTooLarge> => {
  const admitted: PartitionRecords<Topic>[] = [];
  const oversize: OversizeRecord[] = [];
  const byTopic = new Map<string, TopicRecords<Topic>>();
  let current: TopicRecords<Topic> | undefined; // neighbours mostly share a topic
  for (const [index, record] of records.entries()) {
    if (current?.topic.name !== record.topic) {
      const topic = topicOf(record.topic);
      if (!topic) return err({ kind: 'UnknownTopic', topic: record.topic });
      current = byTopic.get(record.topic) ?? { topic, places: [] };
      byTopic.set(record.topic, current);
    }
    const { topic, places } = current;
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
