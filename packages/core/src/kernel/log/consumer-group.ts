import { err, ok, type Result } from 'neverthrow';
import type { Backoff } from '../backoff.ts';
import { limitRepeats } from '../limit-repeats.ts';
import { retryUntilAborted } from '../retry-until-aborted.ts';
import { aborted, Signal } from '../signal.ts';
import type { Unavailable } from '../errors.ts';
import type { Lease, ShardLeases } from '../leases/lease.ts';
import type { Clock } from '../ports/clock.port.ts';
import type { Fetched, LogStorage } from '../ports/log-storage.port.ts';
import type {
  PositionGone,
  SubscribeOptions,
  Subscription,
  SubscriptionFailure,
  TopicInfo,
} from '../ports/message-log.port.ts';
import type { Random } from '../ports/random.port.ts';
import type { Logger } from '../ports/telemetry.port.ts';
import type { BlockedPartitions } from './blocked-partitions.ts';
import { OwnedPartition } from './owned-partition.ts';
import { PositionCommitter } from './position-committer.ts';

export type ConsumerSettings = {
  readonly batchRecordsMax: number;
  readonly batchBytesMax: number;
  /** How long an idle member sleeps if it gets no notification. */
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
  readonly blocked?: BlockedPartitions;
};

type FetchError = PositionGone | Unavailable;
/** What a fetch brought. `seen` and `wait` are from before it, so no arrival after it is missed. */
type Looked = {
  readonly fetched: readonly Fetched[];
  readonly seen: number;
  readonly wait: AbortSignal;
};

/** A member of a consumer group on any `LogStorage`. Leases assign partitions, and the lease's token fences the positions. */
export const subscribeToGroup = (needs: ConsumerGroupNeeds, options: SubscribeOptions): Subscription => {
  const { storage, leases, clock, random } = needs;
  const { group, topic: topicName, handler } = options;
  const settings = { ...defaultConsumerSettings, ...needs.settings };
  const limits = {
    recordsMax: options.batchRecordsMax ?? settings.batchRecordsMax,
    bytesMax: options.batchBytesMax ?? settings.batchBytesMax,
  };
  const logger = needs.logger.child({ group, topic: topicName });
  const failures = limitRepeats(logger, clock);
  const owned = new Map<number, OwnedPartition>();
  const changed = new Signal();
  const over = new AbortController();
  let failure: SubscriptionFailure | undefined;
  let drainMs: number | undefined;

  const fail = (why: SubscriptionFailure): void => {
    failure ??= why;
    logger.error('subscription ended by a failure', { failure: why });
    over.abort();
    changed.notify();
  };
  const retrying = { clock, random, policy: settings.retry };
  const committer = new PositionCommitter({
    storage,
    clock,
    random,
    logger,
    retry: settings.retry,
    group,
    topic: topicName,
    onLost: (partition, token) => {
      if (owned.get(partition)?.token === token) owned.get(partition)?.lose();
    },
  });

  const findTopic = async (): Promise<TopicInfo | undefined> => {
    const found = await retryUntilAborted(() => storage.topic(topicName), {
      ...retrying,
      signal: over.signal,
      onFailure: (error) => {
        if (error.kind === 'UnknownTopic') fail(error);
        else failures.warn('the topic could not be read; trying again', { error });
      },
    });
    return found.unwrapOr(undefined);
  };
  /** The group's position, or undefined if the lease was lost before the claim succeeded. */
  const claim = async ({ shard, token }: Lease, signal: AbortSignal): Promise<number | undefined> => {
    const request = { group, topic: topicName, partition: shard, token };
    const claimed = await retryUntilAborted(() => storage.claim(request), {
      ...retrying,
      signal,
      onFailure: async (error) => {
        // Another member has the partition: the lease will abort the signal.
        if (error.kind === 'ClaimLost') await aborted(signal);
        else failures.warn('a partition could not be claimed; trying again', { partition: shard, error });
      },
    });
    return claimed.map(({ offset }) => offset).unwrapOr(undefined);
  };
  const work = async (lease: Lease, signal: AbortSignal, lost: AbortSignal): Promise<void> => {
    const offset = await claim(lease, signal);
    if (offset === undefined || signal.aborted) return;
    const partition = new OwnedPartition(
      {
        topic: topicName,
        partition: lease.shard,
        token: lease.token,
        handler,
        clock,
        random,
        logger: failures,
        retry: settings.retry,
        onBlocked: (record) =>
          needs.blocked?.blocked({ group, topic: topicName, partition: lease.shard, ...record }),
        onUnblocked: () => needs.blocked?.freed({ group, topic: topicName, partition: lease.shard }),
        onMoved: (moved) => committer.add({ partition: lease.shard, offset: moved, token: lease.token }),
        onFree: () => changed.notify(),
      },
      offset,
    );
    owned.set(lease.shard, partition);
    lost.addEventListener('abort', () => {
      committer.forget(lease.shard);
      partition.lose();
    });
    changed.notify();
    await aborted(signal);
    await partition.close();
    owned.delete(lease.shard);
    await committer.flushed(lease.shard);
  };

  /** The next records of the partitions that are ready now. Undefined: no partition is ready. */
  const fetchReady = async (topic: TopicInfo): Promise<Result<Looked | undefined, FetchError>> => {
    const { wait } = changed;
    const ready = [...owned.values()].filter((partition) => partition.ready);
    if (ready.length === 0) return aborted(wait).then(() => ok(undefined));
    const seen = storage.arrivals(topicName);
    const cursors = ready.map(({ partition, offset }) => ({ partition, offset }));
    return storage.fetch(topic, cursors, limits).map((fetched) => ({ fetched, seen, wait }));
  };
  const deliver = async (topic: TopicInfo): Promise<void> => {
    while (!over.signal.aborted) {
      const looked = await retryUntilAborted(() => fetchReady(topic), {
        ...retrying,
        signal: over.signal,
        onFailure: (error) => {
          if (error.kind === 'PositionGone') fail(error);
          else failures.warn('records could not be fetched; trying again', { error });
        },
      });
      if (looked.isErr() || !looked.value) continue;
      const { fetched, seen, wait } = looked.value;
      const full = fetched.filter(({ records }) => records.length > 0);
      for (const { partition, records } of full) {
        const owner = owned.get(partition);
        if (owner?.ready && records[0]?.position.offset === owner.offset) owner.give(records);
      }
      if (full.length === 0) await storage.waitForMore(topicName, seen, settings.pollMs, wait);
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
    owned.forEach((partition) => partition.lose()); // handlers that did not finish in time
    committer.close();
    changed.notify();
    await delivering;
    await holding.ended;
    return failure ? err(failure) : ok(undefined);
  };
  const ended = run();
  ended.catch(() => {}); // callers see the error through `ended`; unhandled, it must not end the process
  return {
    ended,
    stop: async (stopOptions) => {
      drainMs = stopOptions?.drainMs;
      over.abort();
      await ended.catch(() => {});
    },
  };
};
