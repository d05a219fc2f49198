import {
  PositionCommitter,
  retryUntilAborted,
  sleep,
  type BlockedPartitions,
  type Clock,
  type Logger,
  type Random,
  type PositionCommit,
  type SubscribeOptions,
  type SubscriptionFailure,
  type TopicInfo,
  type Unavailable,
} from '@doska/core/kernel';
import type { Kafka } from 'kafkajs';
import { ok, ResultAsync, type Result } from 'neverthrow';
import type { AdminClient } from '../driver/admin-client.ts';
import { unavailableBy } from '../driver/guard.ts';
import type { KafkaSettings } from '../settings.ts';
import type { KafkaTopics } from '../topics/kafka-topics.ts';
import { AssignedPartition } from './assigned-partition.ts';
import { deliveredOf } from './delivered.ts';
import { boundsOf, checkPlace, committedOf, groupIdOf, type Committed } from './positions.ts';
import { Session, type Fetch } from './session.ts';

export type MemberNeeds = {
  readonly kafka: Pick<Kafka, 'consumer'>;
  readonly admin: Pick<AdminClient, 'ask'>;
  readonly topics: Pick<KafkaTopics, 'fresh'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: KafkaSettings;
  readonly blocked?: BlockedPartitions;
};

type Events = {
  readonly fail: (why: SubscriptionFailure) => void;
  readonly signOfLife: () => void;
};

/**
 * One membership of a consumer in its group: its partitions, their start offsets and their committed offsets. Every join
 * starts an epoch; results of earlier epochs are ignored.
 */
export class Membership {
  readonly session: Session;
  readonly #needs: MemberNeeds;
  readonly #options: SubscribeOptions;
  readonly #topic: TopicInfo;
  readonly #events: Events;
  readonly #committer: PositionCommitter;
  readonly #assigned = new Map<number, AssignedPartition>();
  readonly #over = new AbortController();
  #epoch = 0;
  #closing = false;

  constructor(needs: MemberNeeds, options: SubscribeOptions, topic: TopicInfo, events: Events) {
    this.#needs = needs;
    this.#options = options;
    this.#topic = topic;
    this.#events = events;
    const { clock, random, logger, settings, kafka } = needs;
    const { group } = options;
    this.session = new Session({
      kafka,
      settings,
      clock,
      logger,
      topic: topic.name,
      groupId: groupIdOf(group, topic.name),
      on: {
        assigned: (partitions, isSameMember) => this.#join(partitions, isSameMember),
        fetched: (fetch) => this.#receive(fetch),
        signOfLife: events.signOfLife,
      },
    });
    this.#committer = new PositionCommitter({
      clock,
      random,
      logger,
      retry: settings.retry,
      group,
      topic: topic.name,
      storage: { commit: (_group, _topic, commits) => this.#commit(commits) },
      onLost: () => {},
    });
  }

  /** Takes no new batches, waits at most `drainMs` for handlers, commits before the consumer stops (K3), and leaves. */
  async stop(drainMs: number): Promise<void> {
    const { clock } = this.#needs;
    const untilMs = clock.nowMs() + drainMs;
    this.#closing = true;
    const all = [...this.#assigned.values()];
    this.session.pause([...this.#assigned.keys()]);
    const patience = new AbortController();
    await Promise.race([Promise.all(all.map((one) => one.close())), sleep(clock, drainMs, patience.signal)]);
    await Promise.race([
      Promise.all([...this.#assigned.keys()].map((partition) => this.#committer.flushed(partition))),
      sleep(clock, Math.max(1_000, untilMs - clock.nowMs()), patience.signal),
    ]);
    patience.abort();
    this.abandon();
    await this.session.stop();
  }
  /** The partitions are lost: aborts the handlers and ignores their outcomes. */
  abandon(): void {
    this.#over.abort();
    for (const partition of this.#assigned.keys()) this.#lose(partition);
    this.#committer.close();
  }

  #lose(partition: number): void {
    this.#assigned.get(partition)?.lose();
    this.#assigned.delete(partition);
    this.#committer.forget(partition);
  }
  #join(partitions: readonly number[], isSameMember: boolean): void {
    this.#epoch++;
    for (const partition of [...this.#assigned.keys()])
      if (!isSameMember || !partitions.includes(partition)) this.#lose(partition);
    for (const [partition, one] of this.#assigned) one.stay((offset) => this.session.seek(partition, offset));
    const fresh = partitions.filter((partition) => !this.#assigned.has(partition));
    this.session.pause(fresh); // until their start offsets are known
    if (!this.#closing && fresh.length > 0) void this.#begin(fresh, this.#epoch);
  }
  /** Finds the group's offset in every new partition and refuses an offset that no longer exists. */
  async #begin(partitions: readonly number[], epoch: number): Promise<void> {
    const places = await this.#persistently(
      () => this.#places(),
      () => this.#epoch !== epoch,
    );
    if (!places || this.#epoch !== epoch || this.#closing) return;
    for (const partition of partitions) {
      const { committed, bounds = { earliest: 0, head: 0 } } = places.get(partition) ?? {};
      const place: Committed = committed ?? { offset: bounds.earliest, log: this.#topic.log };
      const checked = checkPlace(this.#topic, partition, place, bounds);
      if (checked.isErr()) return this.#events.fail(checked.error);
      this.#own(partition, checked.value);
      if (!committed) this.#moved(partition, checked.value); // stores a first position, so that the group is listed
      this.session.seek(partition, checked.value);
    }
    this.session.resume(partitions);
  }
  #own(partition: number, offset: number): void {
    const { clock, random, logger, settings, blocked } = this.#needs;
    const place = { group: this.#options.group, topic: this.#topic.name, partition };
    const { handler, batchRecordsMax, batchBytesMax } = this.#options;
    const one = new AssignedPartition(
      {
        topic: this.#topic.name,
        partition,
        token: this.#epoch,
        handler,
        clock,
        random,
        logger,
        retry: settings.retry,
        onBlocked: (record) => blocked?.blocked({ ...place, ...record }),
        onUnblocked: () => blocked?.freed(place),
        bufferBytesMax: settings.bufferBytesMax,
        batch: {
          recordsMax: batchRecordsMax ?? settings.batchRecordsMax,
          bytesMax: batchBytesMax ?? settings.batchBytesMax,
        },
        onMoved: (moved) => this.#moved(partition, moved),
        onFree: () => {},
        pause: () => this.session.pause([partition]),
        resume: () => (this.#closing ? undefined : this.session.resume([partition])),
      },
      offset,
    );
    this.#assigned.set(partition, one);
  }

  #receive({ batch, resolve }: Fetch): void {
    const one = this.#assigned.get(batch.partition);
    if (!one || this.#closing) return;
    const first = Number(batch.firstOffset() ?? one.next);
    if (first < one.next || (first > one.next && !one.holeAllowed)) {
      this.session.pause([batch.partition]);
      void this.#lookInto(batch.partition, one);
      return;
    }
    const records = batch.messages.map((message) => deliveredOf(this.#topic, batch.partition, message));
    resolve(batch.lastOffset());
    one.take(records, Number(batch.lastOffset()) + 1);
  }
  /**
   * K9: on a lost position kafkajs jumps and commits the new position. The jump shows as a fetch that does not continue at
   * the expected offset. If that offset is gone, this resets the group to it and ends the subscription with an error.
   */
  async #lookInto(partition: number, one: AssignedPartition): Promise<void> {
    const isOld = (): boolean => this.#assigned.get(partition) !== one;
    const places = await this.#persistently(() => this.#places(), isOld);
    const fresh = await this.#persistently(() => this.#needs.topics.fresh(this.#topic.name), isOld);
    if (!places || isOld()) return;
    const bounds = places.get(partition)?.bounds ?? { earliest: 0, head: 0 };
    const topic = fresh ?? this.#topic;
    const checked = checkPlace(topic, partition, { offset: one.next, log: this.#topic.log }, bounds);
    if (checked.isErr()) {
      this.#moved(partition, one.offset);
      await this.#committer.flushed(partition);
      return this.#events.fail(checked.error);
    }
    one.holeAllowed = true;
    this.session.seek(partition, one.next);
    this.session.resume([partition]);
  }

  #places() {
    const { admin } = this.#needs;
    const { name } = this.#topic;
    return ResultAsync.combine([committedOf(admin, this.#options.group, name), boundsOf(admin, name)]).map(
      ([committed, bounds]) =>
        new Map(
          [...bounds].map(([partition, bound]) => [
            partition,
            { committed: committed.get(partition), bounds: bound },
          ]),
        ),
    );
  }
  async #persistently<T, E>(
    ask: () => PromiseLike<Result<T, E>>,
    isOld: () => boolean,
  ): Promise<T | undefined> {
    const { clock, random, logger, settings } = this.#needs;
    const old = new AbortController();
    const asked = await retryUntilAborted(ask, {
      clock,
      random,
      policy: settings.retry,
      signal: AbortSignal.any([this.#over.signal, old.signal]),
      onFailure: (error) => {
        logger.warn('positions could not be read; trying again', { error });
        if (isOld()) old.abort();
      },
    });
    return asked.unwrapOr(undefined);
  }
  #moved(partition: number, offset: number): void {
    this.#committer.add({ partition, offset, token: this.#epoch });
  }
  /** Commits only partitions that are still ours. The broker would accept an old owner's commit under the new generation. */
  #commit(commits: readonly PositionCommit[]): ResultAsync<readonly number[], Unavailable> {
    const positions = commits.flatMap(({ partition, offset }) =>
      this.#assigned.has(partition) ? [{ partition, offset, metadata: this.#topic.log }] : [],
    );
    if (positions.length === 0) return new ResultAsync(Promise.resolve(ok([])));
    return ResultAsync.fromPromise(this.session.commit(positions), (cause) =>
      unavailableBy('log.commit', cause),
    ).map(() => []);
  }
}
