import { err, ok, type Result } from 'neverthrow';
import { delayMs, type Backoff } from '../backoff.ts';
import { aborted, Bell } from '../bell.ts';
import type { Lease, ShardLeases } from '../leases/lease.ts';
import { sleep, type Clock } from '../ports/clock.port.ts';
import type { LogStorage } from '../ports/log-storage.port.ts';
import type {
  SubscribeOptions,
  Subscription,
  SubscriptionFailure,
  TopicInfo,
} from '../ports/message-log.port.ts';
import type { Random } from '../ports/random.port.ts';
import type { Logger } from '../ports/telemetry.port.ts';
import { OwnedPartition } from './owned-partition.ts';
import { PositionCommitter } from './position-committer.ts';

export type ConsumerSettings = {
  readonly batchRecordsMax: number;
  readonly batchBytesMax: number;
  /** How long an idle member sleeps when nobody wakes it. */
  readonly pollMs: number;
  readonly retry: Backoff;
};
export const defaultConsumerSettings: ConsumerSettings = {
  batchRecordsMax: 1_000,
  batchBytesMax: 1 << 20,
  pollMs: 250,
  retry: { firstMs: 100, factor: 2, maxMs: 30_000, jitter: 0.2 },
};

export type ConsumerGroupNeeds = {
  readonly storage: LogStorage;
  readonly leases: ShardLeases;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings?: Partial<ConsumerSettings>;
};

/** A member of a consumer group over any `LogStorage`: partitions come by lease, positions are fenced by the lease's token. */
export const subscribeToGroup = (needs: ConsumerGroupNeeds, options: SubscribeOptions): Subscription => {
  const { storage, leases, clock, random } = needs;
  const { group, topic: topicName, handler } = options;
  const settings = { ...defaultConsumerSettings, ...needs.settings };
  const limits = {
    recordsMax: options.batchRecordsMax ?? settings.batchRecordsMax,
    bytesMax: options.batchBytesMax ?? settings.batchBytesMax,
  };
  const logger = needs.logger.child({ group, topic: topicName });
  const owned = new Map<number, OwnedPartition>();
  const bell = new Bell();
  const over = new AbortController();
  let failure: SubscriptionFailure | undefined;
  let drainMs: number | undefined;

  const fail = (why: SubscriptionFailure): void => {
    failure ??= why;
    logger.error('subscription can not go on', { failure: why });
    over.abort();
    bell.ring();
  };
  const retryLater = (attempt: number): Promise<void> =>
    sleep(clock, delayMs(settings.retry, attempt, random), over.signal);
  const committer = new PositionCommitter({
    ...{ storage, clock, random, logger, retry: settings.retry, group, topic: topicName },
    onLost: (partition, token) => {
      if (owned.get(partition)?.token === token) owned.get(partition)?.lose();
    },
  });

  const findTopic = async (): Promise<TopicInfo | undefined> => {
    for (let attempt = 1; !over.signal.aborted; attempt++) {
      const found = await storage.topic(topicName);
      if (found.isOk()) return found.value;
      if (found.error.kind === 'UnknownTopic') fail(found.error);
      else await retryLater(attempt);
    }
    return undefined;
  };
  /** The group's position, or undefined when the lease went before it could be had. */
  const claim = async ({ shard, token }: Lease, signal: AbortSignal): Promise<number | undefined> => {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const claimed = await storage.claim({ group, topic: topicName, partition: shard, token });
      if (claimed.isOk()) return claimed.value.offset;
      if (claimed.error.kind === 'ClaimLost') await aborted(signal);
      else await sleep(clock, delayMs(settings.retry, attempt, random), signal);
    }
    return undefined;
  };
  const work = async (lease: Lease, signal: AbortSignal, lost: AbortSignal): Promise<void> => {
    const offset = await claim(lease, signal);
    if (offset === undefined || signal.aborted) return;
    const partition = new OwnedPartition(
      {
        ...{
          topic: topicName,
          partition: lease.shard,
          token: lease.token,
          handler,
          clock,
          random,
          logger,
          retry: settings.retry,
        },
        onMoved: (moved) => committer.add({ partition: lease.shard, offset: moved, token: lease.token }),
        onFree: () => bell.ring(),
      },
      offset,
    );
    owned.set(lease.shard, partition);
    lost.addEventListener('abort', () => {
      committer.forget(lease.shard);
      partition.lose();
    });
    bell.ring();
    await aborted(signal);
    await partition.close();
    owned.delete(lease.shard);
    await committer.flushed(lease.shard);
  };

  const deliver = async (topic: TopicInfo): Promise<void> => {
    for (let attempt = 0; !over.signal.aborted;) {
      const { nap } = bell;
      const ready = [...owned.values()].filter((partition) => partition.ready);
      if (ready.length === 0) {
        await aborted(nap);
        continue;
      }
      const seen = storage.arrivals(topicName);
      const fetched = await storage.fetch(
        topic,
        ready.map(({ partition, offset }) => ({ partition, offset })),
        limits,
      );
      if (fetched.isErr()) {
        if (fetched.error.kind === 'PositionGone') return fail(fetched.error);
        await retryLater(++attempt);
        continue;
      }
      attempt = 0;
      const full = fetched.value.filter(({ records }) => records.length > 0);
      for (const { partition, records } of full) {
        const owner = owned.get(partition);
        if (owner?.ready && records[0]?.position.offset === owner.offset) owner.give(records);
      }
      if (full.length === 0) await storage.waitForMore(topicName, seen, settings.pollMs, nap);
    }
  };

  const run = async (): Promise<Result<void, SubscriptionFailure>> => {
    const topic = await findTopic();
    if (!topic) return failure ? err(failure) : ok(undefined);
    const holding = leases.hold({ set: `log/${group}/${topicName}`, shards: topic.partitions, work });
    const delivering = deliver(topic);
    void holding.ended.then(
      (ended) =>
        ended.isErr()
          ? fail({
              kind: 'TopicMismatch',
              topic: topicName,
              partitions: ended.error.shards,
              configured: topic.partitions,
            })
          : undefined,
      () => over.abort(),
    );
    await aborted(over.signal);
    await holding.stop(drainMs === undefined ? {} : { drainMs });
    owned.forEach((partition) => partition.lose()); // whoever did not finish in time
    committer.close();
    bell.ring();
    await delivering;
    await holding.ended;
    return failure ? err(failure) : ok(undefined);
  };
  const ended = run();
  ended.catch(() => {}); // told through `ended`; when nobody looks it must not end the process by itself
  return {
    ended,
    stop: async (stopOptions) => {
      drainMs = stopOptions?.drainMs;
      over.abort();
      await ended.catch(() => {});
    },
  };
};
