import {
  limitRepeats,
  type BlockedPartitions,
  type Clock,
  type Ids,
  type Logger,
  type LogReader,
  type MessageLog,
  type Position,
  type Random,
  type ReadError,
  type TopicInfo,
} from '@doska/core/kernel';
import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import { boundsOf, checkPlace, groupOf, READER_PREFIX } from './consuming/positions.ts';
import { KafkaReader } from './consuming/reader.ts';
import { subscribeToKafka } from './consuming/subscription.ts';
import { AdminClient } from './driver/admin-client.ts';
import { kafkaClient, type KafkaConnection } from './driver/client.ts';
import { Lane } from './publishing/lane.ts';
import { KafkaPublisher } from './publishing/publisher.ts';
import { defaultKafkaSettings, type KafkaSettings } from './settings.ts';
import { KafkaTopics } from './topics/kafka-topics.ts';
import { lagOf } from './topics/lag.ts';

export type KafkaMessageLogOptions = {
  readonly connection: KafkaConnection;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings?: Partial<KafkaSettings>;
  readonly blocked?: BlockedPartitions;
};

/** The message log on Apache Kafka. It does not fence and cannot join a database transaction, so consumers must compare versions. */
export const kafkaMessageLog = (options: KafkaMessageLogOptions): MessageLog => {
  const { clock, ids, random, logger } = options;
  const settings = { ...defaultKafkaSettings, ...options.settings };
  const blocked = options.blocked ? { blocked: options.blocked } : {};
  const kafka = kafkaClient(options.connection, logger, clock);
  const admin = new AdminClient(() => kafka.admin());
  const topics = new KafkaTopics({ admin, clock, random, replication: settings.replication });
  const failures = limitRepeats(logger, clock); // shared by all lanes
  const onGivenUp = (names: readonly string[]): void => names.forEach((name) => topics.forget(name));
  const lanes = Array.from(
    { length: settings.lanes },
    () => new Lane({ kafka, clock, random, logger: failures, settings, onGivenUp }),
  );
  const publisher = new KafkaPublisher({ topics, lanes, settings });

  const openReader = (topic: TopicInfo, partition: number, offset: number): LogReader =>
    new KafkaReader({ kafka, admin, clock, logger, settings, name: ids.next() }, topic, partition, offset);
  const read = (
    name: string,
    partition: number,
    from: Position | 'earliest',
  ): ResultAsync<LogReader, ReadError> =>
    topics.fresh(name).andThen((topic): ResultAsync<LogReader, ReadError> => {
      const { partitions } = topic;
      if (!Number.isInteger(partition) || partition < 0 || partition >= partitions)
        return errAsync({ kind: 'UnknownPartition', topic: name, partition, partitions });
      return boundsOf(admin, name).andThen((all): Result<LogReader, ReadError> => {
        const bounds = all.get(partition) ?? { earliest: 0, head: 0 };
        if (from === 'earliest') return ok(openReader(topic, partition, bounds.earliest));
        if (from.topic !== name || from.partition !== partition)
          return err({ kind: 'ForeignPosition', position: from, log: topic.log });
        return checkPlace(topic, partition, from, bounds).map((offset) =>
          openReader(topic, partition, offset),
        );
      });
    });

  return {
    promises: { fences: false, joinsTransactions: false },
    publish: (records, options) => publisher.publish(records, options),
    subscribe: (subscribe) =>
      subscribeToKafka({ kafka, admin, topics, clock, random, logger, settings, ...blocked }, subscribe),
    read,
    ensureTopics: (specs) => topics.ensure(specs),
    topics: () => topics.all(),
    groups: () =>
      admin.ask('log.groups', async (client) =>
        (await client.listGroups()).groups.flatMap(({ groupId }) =>
          groupId.startsWith(READER_PREFIX) ? [] : (groupOf(groupId) ?? []),
        ),
      ),
    lag: (group, name) => topics.find(name).andThen(() => lagOf(admin, group, name, clock.nowMs())),
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.close()));
      await admin.close();
    },
  };
};
