import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import type pg from 'pg';
import {
  makeShardLeases,
  storageReader,
  subscribeToGroup,
  type BlockedPartitions,
  type Clock,
  type ConsumerSettings,
  type Ids,
  type LeaseTimes,
  type Logger,
  type LogReader,
  type LogRecord,
  type MessageLog,
  type PartitionLag,
  type Position,
  type PublishError,
  type Random,
  type ReadError,
} from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import { createPool } from '../driver/pool.ts';
import { pgLeaseStore } from '../leases/pg-lease-store.ts';
import { boundsOf, pgLogStorage, type PartitionBounds } from './log-storage.ts';
import { defaultPublisherSettings, PgPublisher, type PublisherSettings } from './publisher.ts';
import { PgTopics, type PgTopic } from './topics.ts';
import { WakeUp } from './wake-up.ts';

export type PgMessageLogOptions = {
  readonly url: string;
  /** For reading, positions and leases; shared with the rest of the process. */
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly logger: Logger;
  readonly leaseTimes?: Partial<LeaseTimes>;
  readonly consumer?: Partial<ConsumerSettings>;
  readonly publisher?: Partial<PublisherSettings>;
  /** How long a publish waits for a partition that another transaction keeps locked. */
  readonly lockTimeoutMs?: number;
  readonly blocked?: BlockedPartitions;
};

export interface PgMessageLog extends MessageLog {
  /** See `PgPublisher.publishIn`: once per transaction, as its last statement. */
  publishIn(tx: pg.ClientBase, records: readonly LogRecord[]): ResultAsync<void, PublishError>;
  /** Call it after the commit of `publishIn`: wakes the readers. Without it they find the records at their next poll. */
  published(topics: Iterable<string>): void;
}

const LAG = `select p.part, s.pos, coalesce(h.last_off + 1, 0) as head, coalesce(s.pos, e.first, 0) as next, round(extract(epoch from u.ts) * 1000)::float8 as oldest
  from log_topic t cross join generate_series(0, t.partitions - 1) p(part)
  left join log_position s on s.grp = $1 and s.topic = t.id and s.part = p.part
  left join lateral (select last_off from log_batch where topic = t.id and part = p.part order by last_off desc limit 1) h on true
  left join lateral (select last_off - n + 1 as first from log_batch where topic = t.id and part = p.part order by last_off limit 1) e on true
  left join lateral (select ts from log_batch where topic = t.id and part = p.part and last_off >= coalesce(s.pos, e.first, 0) order by last_off limit 1) u on true
  where t.id = $2 order by p.part`;
type LagRow = {
  readonly part: number;
  readonly pos: string | null;
  readonly head: string;
  readonly next: string;
  readonly oldest: number | null;
};

export const pgMessageLog = (options: PgMessageLogOptions): PgMessageLog => {
  const { url, pool, clock, ids, random, logger, lockTimeoutMs = 30_000 } = options;
  const topics = new PgTopics(pool);
  const wakeUp = new WakeUp({ url, clock, logger });
  const published = (names: Iterable<string>): void => wakeUp.published(names);
  const settings = { ...defaultPublisherSettings, ...options.publisher };
  const flushPool = createPool({ url, max: settings.flushesMax, applicationName: 'doska-log-publish' });
  const lockWaitPool = createPool({
    url,
    max: 4,
    applicationName: 'doska-log-wait',
    statementTimeoutMs: lockTimeoutMs,
  });
  const publisher = new PgPublisher({
    topics,
    pool: flushPool,
    lockWaitPool,
    onPublished: published,
    settings,
  });
  const storage = pgLogStorage({ pool, topics, wakeUp, nowMs: () => clock.nowMs() });
  const leases = makeShardLeases({
    store: pgLeaseStore(pool),
    clock,
    ids,
    logger,
    ...(options.leaseTimes ? { times: options.leaseTimes } : {}),
  });
  const consumerNeeds = {
    storage,
    leases,
    clock,
    random,
    logger,
    ...(options.consumer ? { settings: options.consumer } : {}),
    ...(options.blocked ? { blocked: options.blocked } : {}),
  };

  const openReader = (
    topic: PgTopic,
    partition: number,
    from: Position | 'earliest',
    { earliest, head }: PartitionBounds,
  ): Result<LogReader, ReadError> => {
    const reader = (offset: number): Result<LogReader, never> =>
      ok(storageReader({ storage, clock, pollMs: 250 }, topic, partition, offset));
    if (from === 'earliest') return reader(earliest);
    if (from.log !== topic.log || from.topic !== topic.name || from.partition !== partition)
      return err({ kind: 'ForeignPosition', position: from, log: topic.log });
    if (from.offset < earliest || from.offset > head)
      return err({ kind: 'PositionGone', position: from, earliest, head });
    return reader(from.offset);
  };
  const read = (
    name: string,
    partition: number,
    from: Position | 'earliest',
  ): ResultAsync<LogReader, ReadError> => {
    topics.forget(name); // a new reader needs the current topic, not the cached one
    return topics.find(name).andThen((topic): ResultAsync<LogReader, ReadError> => {
      const { partitions } = topic;
      if (!Number.isInteger(partition) || partition < 0 || partition >= partitions)
        return errAsync({ kind: 'UnknownPartition', topic: name, partition, partitions });
      return guard('log.read', () => boundsOf(pool, topic.id, [partition])).andThen((bounds) =>
        openReader(topic, partition, from, bounds.get(partition) ?? { earliest: 0, head: 0 }),
      );
    });
  };
  return {
    promises: { fences: true, joinsTransactions: true },
    publish: (records, options) => publisher.publish(records, options),
    publishIn: (tx, records) => publisher.publishIn(tx, records),
    published,
    subscribe: (subscribe) => subscribeToGroup(consumerNeeds, subscribe),
    read,
    ensureTopics: (specs) => topics.ensure(specs),
    topics: () => topics.all(),
    groups: () =>
      guard(
        'log.groups',
        async () =>
          (
            await pool.query<{ group: string; topic: string }>(
              'select distinct p.grp as group, t.name as topic from log_position p join log_topic t on t.id = p.topic order by 1, 2',
            )
          ).rows,
      ),
    lag: (group, name) =>
      topics.find(name).andThen(({ id }) =>
        guard('log.lag', async () => {
          const { rows } = await pool.query<LagRow>(LAG, [group, id]);
          return rows.map(({ part, pos, head, next, oldest }): PartitionLag => {
            const lag = Math.max(0, Number(head) - Number(next));
            return {
              partition: part,
              committed: pos === null ? undefined : Number(pos),
              head: Number(head),
              lag,
              oldestUnreadAtMs: oldest ?? undefined,
            };
          });
        }),
      ),
    close: async () => {
      await wakeUp.close();
      await Promise.all([flushPool.end(), lockWaitPool.end()]);
    },
  };
};
