import type { ReadTopic } from '@doska/adapters-grpc';
import { deadLetterCodec, gostCodecs } from '@doska/adapters-proto';
import { ANSWER_BYTES_MAX, OFFER_UPDATES } from '@doska/core/gost';
import {
  partitionOf,
  utf8Bytes,
  type Codec,
  type LogReader,
  type MessageLog,
  type ReadError,
} from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';

const DEAD = /\.dead$/;
const codecOf = (topic: string): Codec<unknown> | undefined => {
  if (topic === OFFER_UPDATES) return gostCodecs.view;
  return DEAD.test(topic) ? deadLetterCodec : undefined;
};
const PAGE = 200;

/** Reads the records of a topic, one partition after another. Values of known topics are decoded to JSON. */
export const makeReadTopic = (log: MessageLog): ReadTopic =>
  async function* readTopic({ topic, key, limit }, signal) {
    const topics = await log.topics();
    if (topics.isErr()) {
      yield err(topics.error);
      return;
    }
    const info = topics.value.find(({ name }) => name === topic);
    if (!info) {
      yield err({ kind: 'UnknownTopic', topic });
      return;
    }
    const codec = codecOf(topic);
    const all = Array.from({ length: info.partitions }, (_, partition) => partition);
    let left = limit;
    for (const partition of key === undefined ? all : [partitionOf({ key }, info.partitions)]) {
      const reader: Result<LogReader, ReadError> = await log.read(topic, partition, 'earliest');
      if (reader.isErr()) {
        yield err(reader.error);
        return;
      }
      try {
        while (left > 0 && !signal.aborted) {
          const records = await reader.value.next({ recordsMax: PAGE, signal });
          if (records.isErr()) {
            yield err(records.error);
            return;
          }
          if (records.value.length === 0) break;
          const wanted = records.value.filter((one) => key === undefined || one.key === key).slice(0, left);
          left -= wanted.length;
          for (const record of wanted)
            yield ok({
              record,
              json: codec
                ?.decode(record.value)
                .map((value) => JSON.stringify(value))
                .map((json) => (utf8Bytes(json) + record.value.length > ANSWER_BYTES_MAX ? '' : json))
                .unwrapOr(''),
            });
        }
      } finally {
        await reader.value.close();
      }
    }
  };
