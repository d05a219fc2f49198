import type { Delivered, RecordHeaders, TopicInfo } from '@doska/core/kernel';
import type { IHeaders, KafkaMessage } from 'kafkajs';

const NO_HEADERS: RecordHeaders = Object.freeze({});
const empty = Buffer.alloc(0);

/** If another client wrote a header several times, the last value counts. */
const headersOf = (headers: IHeaders | undefined): RecordHeaders => {
  let all: Record<string, string> | undefined;
  for (const name in headers) {
    const value = headers[name];
    const last = Array.isArray(value) ? value.at(-1) : value;
    (all ??= {})[name] = last === undefined ? '' : last.toString();
  }
  return all ?? NO_HEADERS;
};

export const deliveredOf = (
  topic: Pick<TopicInfo, 'name' | 'log'>,
  partition: number,
  { key, value, headers, timestamp, offset }: KafkaMessage,
): Delivered => ({
  key: key === null ? '' : key.toString(),
  value: value ?? empty,
  headers: headersOf(headers),
  timestampMs: Number(timestamp),
  position: { log: topic.log, topic: topic.name, partition, offset: Number(offset) },
});

/** The approximate memory of a delivered record, for limits only. */
export const heldBytes = ({ key, value }: Delivered): number => value.byteLength + key.length + 128;
