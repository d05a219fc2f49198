import type { PartitionRecords } from '@doska/core/kernel';
import { packRecords } from './record-frame.ts';
import type { PgTopic } from './topics.ts';

/** The records that one statement appends to one partition. */
export type Place = {
  readonly topic: PgTopic;
  readonly partition: number;
  readonly records: number;
  readonly frames: readonly Buffer[];
};

export const placeOf = ({ topic, partition, records }: PartitionRecords<PgTopic>): Place => ({
  topic,
  partition,
  records: records.length,
  frames: [packRecords(records)],
});

/** The order in which a statement locks several partitions: ascending. */
export const inLockOrder = <P extends Place>(places: readonly P[]): P[] =>
  [...places].sort((a, b) => a.topic.id - b.topic.id || a.partition - b.partition);

/** The arguments of `log_publish` after `wait`: one array for each column, and the frame that holds the bytes of all groups. */
export const publishArguments = (places: readonly Place[]): unknown[] => {
  const starts: number[] = [];
  const lengths: number[] = [];
  const frames: Buffer[] = [];
  let at = 1; // SQL counts bytes from one
  for (const place of places) {
    starts.push(at);
    for (const frame of place.frames) {
      frames.push(frame);
      at += frame.length;
    }
    lengths.push(at - starts.at(-1)!);
  }
  return [
    places.map(({ topic }) => topic.id),
    places.map(({ partition }) => partition),
    places.map(({ records }) => records),
    starts,
    lengths,
    frames.length === 1 ? frames[0] : Buffer.concat(frames, at - 1),
  ];
};
