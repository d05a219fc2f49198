import { sleep, type Clock, type Logger } from '@doska/core/kernel';
import type { Batch, Consumer, Kafka } from 'kafkajs';
import { consumerConfig, type KafkaSettings } from '../settings.ts';

/** `resolve`: the next fetch of the partition continues after this offset. */
export type Fetch = { readonly batch: Batch; readonly resolve: (offset: string) => void };
export type SessionEvents = {
  /** Called during the join, before any fetch. `isSameMember`: no other member can have owned the kept partitions in between. */
  readonly assigned: (partitions: readonly number[], isSameMember: boolean) => void;
  /** Must not wait, because every other partition would wait too (K4). */
  readonly fetched: (fetch: Fetch) => void;
  readonly signOfLife: () => void;
};
type Needs = {
  readonly kafka: Pick<Kafka, 'consumer'>;
  readonly groupId: string;
  readonly topic: string;
  readonly settings: KafkaSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly on: SessionEvents;
};
type PositionToCommit = { readonly partition: number; readonly offset: number; readonly metadata: string };

const LEAVE_MS = 2_000;

/** One kafkajs consumer from start to end. After a crash it is not reused; a new one is created. */
export class Session {
  readonly #needs: Needs;
  readonly #consumer: Consumer;
  /** Resolves with the reason when the consumer ends without a stop. */
  readonly crashed: Promise<unknown>;
  #tellCrash: (cause: unknown) => void = () => {};
  #started: Promise<void> = Promise.resolve();
  #memberId: string | undefined;
  #isRunning = false;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#consumer = needs.kafka.consumer(consumerConfig(needs.groupId, needs.settings));
    this.crashed = new Promise((resolve) => (this.#tellCrash = resolve));
    this.#listen();
  }

  start(): void {
    this.#started = this.#start();
  }
  async #start(): Promise<void> {
    const { topic, on } = this.#needs;
    try {
      await this.#consumer.connect();
      await this.#consumer.subscribe({ topic, fromBeginning: true });
      this.#isRunning = true;
      await this.#consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: (payload) => {
          on.signOfLife();
          if (this.#isRunning && payload.isRunning() && !payload.isStale())
            on.fetched({ batch: payload.batch, resolve: (offset) => payload.resolveOffset(offset) });
          return Promise.resolve();
        },
      });
    } catch (cause) {
      this.#crash(cause);
    }
  }
  pause(partitions: readonly number[]): void {
    this.#steer(() => this.#consumer.pause([{ topic: this.#needs.topic, partitions: [...partitions] }]));
  }
  resume(partitions: readonly number[]): void {
    this.#steer(() => this.#consumer.resume([{ topic: this.#needs.topic, partitions: [...partitions] }]));
  }
  seek(partition: number, offset: number): void {
    this.#steer(() => this.#consumer.seek({ topic: this.#needs.topic, partition, offset: String(offset) }));
  }
  /** K3: kafkajs silently drops commits after a stop has started, so this throws instead. */
  async commit(positions: readonly PositionToCommit[]): Promise<void> {
    if (!this.#isRunning) throw new Error('the consumer is not running: nothing was committed');
    const { topic } = this.#needs;
    await this.#consumer.commitOffsets(
      positions.map(({ partition, offset, metadata }) => ({
        topic,
        partition,
        offset: String(offset),
        metadata,
      })),
    );
    if (!this.#isRunning) throw new Error('the consumer ended during the commit: it may not be stored');
  }
  /**
   * Leaves the group. Commit before this call; afterwards it is too late. Without a broker kafkajs needs long to give up. We
   * do not wait for that, because a stopping consumer delivers and commits nothing. kafkajs forgets a stop during the first
   * join, and the member would keep its partitions. So this waits for the join first.
   */
  async stop(): Promise<void> {
    const { clock, logger } = this.#needs;
    this.#isRunning = false;
    const patience = new AbortController();
    const leaving = this.#started.then(() => this.#consumer.disconnect());
    const left = leaving.then(
      () => true,
      (cause: unknown) => {
        logger.warn('a consumer did not leave its group cleanly', { cause });
        return true;
      },
    );
    const isLeft = await Promise.race([left, sleep(clock, LEAVE_MS, patience.signal).then(() => false)]);
    patience.abort();
    if (!isLeft)
      logger.warn('a consumer could not leave its group in time; its session will expire', {
        leaveMs: LEAVE_MS,
      });
  }

  #listen(): void {
    const { on, topic } = this.#needs;
    const { events } = this.#consumer;
    this.#consumer.on(events.GROUP_JOIN, ({ payload: { memberId, memberAssignment } }) => {
      on.signOfLife();
      const isSameMember = memberId === this.#memberId;
      this.#memberId = memberId;
      on.assigned(memberAssignment[topic] ?? [], isSameMember);
    });
    for (const event of [events.FETCH_START, events.FETCH, events.HEARTBEAT, events.REQUEST_TIMEOUT])
      this.#consumer.on(event, on.signOfLife);
    this.#consumer.on(events.CRASH, ({ payload: { error } }) => this.#crash(error));
  }
  #crash(cause: unknown): void {
    this.#isRunning = false;
    this.#needs.on.signOfLife();
    this.#tellCrash(cause);
  }
  /** kafkajs throws on pause, resume and seek while it is not running. That is safe to ignore. */
  #steer(work: () => void): void {
    if (!this.#isRunning) return;
    try {
      work();
    } catch (cause) {
      this.#needs.logger.debug('pause, resume or seek on a consumer that has ended', { cause });
    }
  }
}
