import type { TopicSpec } from '@doska/core/kernel';

/** A topic's settings as the broker has them: name → value. */
export type TopicConfig = ReadonlyMap<string, string>;

/**
 * Where a topic's incarnation is kept: the time tombstones of a *compacted* topic stay. Ours are never compacted, so
 * the broker makes no use of it; but it is given in the very request that makes the topic, and it goes with the topic.
 * docs/adr/0020-kafka.md has the alternatives.
 */
const INCARNATION = 'delete.retention.ms';
/** The broker's default: a topic that somebody else made. */
const NOT_OURS = '86400000';
/** Room for the batch around a record: `max.message.bytes` bounds the batch of a whole send. */
const BATCH_ROOM = 1 << 20;
const FIRST_INCARNATION = 2 ** 40; // far from any value that somebody would set by hand

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
    [INCARNATION, incarnation],
  ]);

export const incarnationOf = (config: TopicConfig): string => {
  const value = config.get(INCARNATION) ?? NOT_OURS;
  return value === NOT_OURS ? 'made-elsewhere' : value;
};

/** What the broker's settings mean to us. A topic made elsewhere keeps its own bound; ours leave room for a batch. */
export const specOf = (name: string, partitions: number, config: TopicConfig): TopicSpec => {
  const batchBytesMax = Number(config.get('max.message.bytes') ?? BATCH_ROOM);
  const ours = incarnationOf(config) !== 'made-elsewhere';
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
