import type { PositionGone, ForeignPosition, TopicInfo, Unavailable } from '@doska/core/kernel';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { AdminClient } from '../driver/admin-client.ts';

export type Bounds = { readonly earliest: number; readonly head: number };
/** `log` is the identity of the log at the commit. Absent if another tool committed the position. */
export type Committed = { readonly offset: number; readonly log: string | undefined };

/**
 * One Kafka group for each (group, topic): in kafkajs all members of a group must read the same topics, and a rebalance of
 * one topic must not disturb another. Topic names contain no slash, so the name can be split.
 */
export const groupIdOf = (group: string, topic: string): string => `${group}/${topic}`;
export const groupOf = (groupId: string): { readonly group: string; readonly topic: string } | undefined => {
  const at = groupId.lastIndexOf('/');
  return at < 0 ? undefined : { group: groupId.slice(0, at), topic: groupId.slice(at + 1) };
};
/** The prefix of private groups of readers. They never commit. */
export const READER_PREFIX = 'doska-reader-';

type Asks = Pick<AdminClient, 'ask'>;

export const boundsOf = (admin: Asks, topic: string): ResultAsync<ReadonlyMap<number, Bounds>, Unavailable> =>
  admin.ask('log.bounds', async (client) => {
    const offsets = await client.fetchTopicOffsets(topic);
    return new Map(
      offsets.map(({ partition, low, high }) => [partition, { earliest: Number(low), head: Number(high) }]),
    );
  });

export const committedOf = (
  admin: Asks,
  group: string,
  topic: string,
): ResultAsync<ReadonlyMap<number, Committed>, Unavailable> =>
  admin.ask('log.positions', async (client) => {
    const [answer] = await client.fetchOffsets({ groupId: groupIdOf(group, topic), topics: [topic] });
    return new Map(
      (answer?.partitions ?? [])
        .filter(({ offset }) => Number(offset) >= 0)
        .map(({ partition, offset, metadata }) => [
          partition,
          { offset: Number(offset), log: metadata ?? undefined },
        ]),
    );
  });

/** Checks that the offset exists in this incarnation of the topic or is its head. kafkajs does not report that (K9). */
export const checkPlace = (
  topic: TopicInfo,
  partition: number,
  { offset, log }: Committed,
  { earliest, head }: Bounds,
): Result<number, PositionGone | ForeignPosition> => {
  const position = { log: log ?? topic.log, topic: topic.name, partition, offset };
  if (position.log !== topic.log) return err({ kind: 'ForeignPosition', position, log: topic.log });
  return offset < earliest || offset > head
    ? err({ kind: 'PositionGone', position, earliest, head })
    : ok(offset);
};
