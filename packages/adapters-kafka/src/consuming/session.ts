import { sleep, type Clock, type Logger } from '@doska/core/kernel';
import type { Batch, Consumer, Kafka } from 'kafkajs';
import { consumerConfig, type KafkaSettings } from '../settings.ts';

/** `resolve`: the next fetch of the partition goes on behind this offset. */
export type Fetch = { readonly batch: Batch; readonly resolve: (offset: string) => void };
export type SessionEvents = {
  /** Called inside the join, before anything is fetched. `isSameMember`: nobody else can have had what is kept. */
  readonly assigned: (partitions: readonly number[], isSameMember: boolean) => void;
  /** Must not wait: whatever it waits for, every other partition would wait for too (K4). */
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

/** One life of one kafkajs consumer. When it crashes it is over; a new one is made. */
export class Session {
  readonly #needs: Needs;
  readonly #consumer: Consumer;
  /** Resolves with the reason when the consumer is over without having been stopped. */
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
  /** K3: kafkajs drops commits in silence once a stop has begun, so that is a failure here. */
  async commit(positions: readonly PositionToCommit[]): Promise<void> {
    if (!this.#isRunning) throw new Error('the consumer does not run: nothing is committed');
    const { topic } = this.#needs;
    await this.#consumer.commitOffsets(
      positions.map(({ partition, offset, metadata }) => ({
        topic,
        partition,
        offset: String(offset),
        metadata,
      })),
    );
    if (!this.#isRunning) throw new Error('the consumer ended meanwhile: perhaps nothing was committed');
  }
  /**
   * Leaves the group. Commit before: afterwards it is too late. Without a broker kafkajs takes its time to give up; that
   * goes on without us, since a consumer that is told to stop delivers and commits nothing more. A stop in the midst of
   * the first join would be forgotten by kafkajs, and a ghost would keep its partitions: so the join comes first.
   */
  async stop(): Promise<void> {
    const { clock, logger } = this.#needs;
    this.#isRunning = false;
    const patience = new AbortController();
    const leaving = this.#started.then(() => this.#consumer.disconnect());
    const left = leaving.then(
      () => true,
      (cause: unknown) => {
        logger.warn('a consumer did not leave properly', { cause });
        return true;
      },
    );
    const isLeft = await Promise.race([left, sleep(clock, LEAVE_MS, patience.signal).then(() => false)]);
    patience.abort();
    if (!isLeft)
      logger.warn('a consumer still tries to leave; its session will expire', { leaveMs: LEAVE_MS });
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
  /** kafkajs refuses to be steered between two lives; then there is nothing to steer. */
  #steer(work: () => void): void {
    if (!this.#isRunning) return;
    try {
      work();
    } catch (cause) {
      this.#needs.logger.debug('a consumer that is over was steered', { cause });
    }
  }
}
