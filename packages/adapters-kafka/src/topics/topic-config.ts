import type { TopicInfo, TopicSpec } from '@doska/core/kernel';

/** A topic's settings on the broker: name → value. */
export type TopicConfig = ReadonlyMap<string, string>;

/**
 * The setting that stores a topic's incarnation. It limits how long a *compacted* topic keeps tombstones. Our topics are
 * never compacted, so the broker does not use it. It is part of the request that creates the topic and is deleted with the
 * topic. docs/adr/0009-kafka.md has the alternatives.
 */
const INCARNATION = 'delete.retention.ms';
/** Whose clock gives records their time. The broker's default is the publisher's, which may be wrong. */
const TIMES = 'message.timestamp.type';
const LOG_TIMES = 'LogAppendTime';
/** The broker's default. It means that another tool created the topic. */
const NOT_OURS = '86400000';
/** Space for the batch around a record, because `max.message.bytes` limits the whole batch. */
const BATCH_ROOM = 1 << 20;
const FIRST_INCARNATION = 2 ** 40; // larger than any value that a person would set

export const drawIncarnation = (below: (n: number) => number): string =>
  String(FIRST_INCARNATION + below(2 ** 31) * 2 ** 9 + below(2 ** 9));

export const configOf = (
  { retentionMs, recordBytesMax }: TopicSpec,
  incarnation: string,
  replication: number,
): TopicConfig =>
  new Map([
    ['cleanup.policy', 'delete'],
    ['retention.ms', String(retentionMs)],
    ['max.message.bytes', String(recordBytesMax + BATCH_ROOM)],
    ['min.insync.replicas', String(Math.min(2, replication))],
    [TIMES, LOG_TIMES],
    [INCARNATION, incarnation],
  ]);

export const incarnationOf = (config: TopicConfig): string => {
  const value = config.get(INCARNATION) ?? NOT_OURS;
  return value === NOT_OURS ? 'made-elsewhere' : value;
};

export const timesOf = (config: TopicConfig): TopicInfo['times'] =>
  config.get(TIMES) === LOG_TIMES ? 'log' : 'publisher';

/** Reads our settings from the broker's. A topic of another tool keeps its own limit; our limit leaves space for a batch. */
export const specOf = (name: string, partitions: number, config: TopicConfig): TopicSpec => {
  const batchBytesMax = Number(config.get('max.message.bytes') ?? BATCH_ROOM);
  // A limit below that space was set by another tool, also on a topic of ours.
  const ours = incarnationOf(config) !== 'made-elsewhere' && batchBytesMax >= BATCH_ROOM;
  return {
    name,
    partitions,
    retentionMs: Number(config.get('retention.ms') ?? 7 * 86_400_000),
    recordBytesMax: Math.max(
      0,
      ours ? batchBytesMax - BATCH_ROOM : Math.min(BATCH_ROOM, batchBytesMax) - 1_024,
    ),
  };
};
