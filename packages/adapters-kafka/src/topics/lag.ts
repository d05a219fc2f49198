import type { PartitionLag, Unavailable } from '@doska/core/kernel';
import type { Admin } from 'kafkajs';
import { ResultAsync } from 'neverthrow';
import { boundsOf, committedOf } from '../consuming/positions.ts';
import type { AdminClient } from '../driver/admin-client.ts';

const AGE_FIRST_MS = 1_000;
const AGE_LAST_MS = 10 * 365 * 86_400_000;

/** The first offset at or after a time for each partition. One response serves all partitions. */
type OffsetsAt = (atMs: number) => Promise<ReadonlyMap<number, number>>;
const offsetsAt = (admin: Pick<Admin, 'fetchTopicOffsetsByTimestamp'>, topic: string): OffsetsAt => {
  const known = new Map<number, Promise<ReadonlyMap<number, number>>>();
  const ask = async (atMs: number): Promise<ReadonlyMap<number, number>> =>
    new Map(
      (await admin.fetchTopicOffsetsByTimestamp(topic, atMs)).map(({ partition, offset }) => [
        partition,
        Number(offset),
      ]),
    );
  return (atMs) => {
    const asked = known.get(atMs) ?? ask(atMs);
    known.set(atMs, asked);
    return asked;
  };
};

/**
 * The publish time of the record at `offset`, to within a second or 1 % of its age. The broker maps times to offsets but
 * not offsets to times, so this searches by time. Reading the record would need a consumer group.
 */
export const timeOf = async (
  at: OffsetsAt,
  partition: number,
  offset: number,
  nowMs: number,
): Promise<number | undefined> => {
  const isPublishedSince = async (ms: number): Promise<boolean> =>
    ((await at(ms)).get(partition) ?? Infinity) <= offset;
  let ageMs = AGE_FIRST_MS;
  while (!(await isPublishedSince(nowMs - ageMs))) {
    if (ageMs > AGE_LAST_MS) return undefined;
    ageMs *= 2;
  }
  let olderMs = nowMs - ageMs;
  let newerMs = ageMs === AGE_FIRST_MS ? nowMs : nowMs - ageMs / 2;
  while (newerMs - olderMs > Math.max(500, (nowMs - olderMs) / 100)) {
    const middleMs = Math.floor((olderMs + newerMs) / 2);
    if (await isPublishedSince(middleMs)) olderMs = middleMs;
    else newerMs = middleMs;
  }
  return olderMs;
};

export const lagOf = (
  admin: Pick<AdminClient, 'ask'>,
  group: string,
  topic: string,
  nowMs: number,
): ResultAsync<readonly PartitionLag[], Unavailable> =>
  ResultAsync.combine([boundsOf(admin, topic), committedOf(admin, group, topic)]).andThen(
    ([bounds, positions]) =>
      admin.ask('log.lag', async (client) => {
        const at = offsetsAt(client, topic);
        const each = [...bounds].map(async ([partition, { earliest, head }]): Promise<PartitionLag> => {
          const committed = positions.get(partition)?.offset;
          const from = committed ?? earliest;
          const lag = Math.max(0, head - from);
          const oldestUnreadAtMs = lag > 0 ? await timeOf(at, partition, from, nowMs) : undefined;
          return { partition, committed, head, lag, oldestUnreadAtMs };
        });
        return (await Promise.all(each)).sort((a, b) => a.partition - b.partition);
      }),
  );
