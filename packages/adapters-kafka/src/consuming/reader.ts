import {
  Signal,
  sleep,
  unavailable,
  type Clock,
  type Delivered,
  type Logger,
  type LogReader,
  type Position,
  type ReadError,
  type TopicInfo,
} from '@doska/core/kernel';
import type { Kafka } from 'kafkajs';
import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { AdminClient } from '../driver/admin-client.ts';
import type { KafkaSettings } from '../settings.ts';
import { deliveredOf, heldBytes } from './delivered.ts';
import { boundsOf, checkPlace, READER_PREFIX } from './positions.ts';
import { Session, type Fetch } from './session.ts';

type Needs = {
  readonly kafka: Pick<Kafka, 'consumer'>;
  readonly admin: Pick<AdminClient, 'ask'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: KafkaSettings;
  /** A unique name. */
  readonly name: string;
};

/** The time limit for fetching records that are known to exist. */
const PATIENCE_MS = 15_000;

/**
 * Reads one partition without a group. kafkajs cannot do that, so this uses a private group with one member. It is created
 * when there are records to read, seeks to its offset and never commits.
 */
export class KafkaReader implements LogReader {
  readonly #needs: Needs;
  readonly #topic: TopicInfo;
  readonly #partition: number;
  readonly #changed = new Signal();
  readonly #ahead: Delivered[] = [];
  #bytes = 0;
  #offset: number;
  /** The offset at which the next fetch must continue. */
  #next: number;
  #session: Session | undefined;
  #isPaused = false;
  /** The last fetch did not continue at the expected offset. The offset is checked before the next try. */
  #isAstray = false;
  #holeAllowed = false;
  #closed = false;

  constructor(needs: Needs, topic: TopicInfo, partition: number, offset: number) {
    this.#needs = needs;
    this.#topic = topic;
    this.#partition = partition;
    this.#offset = offset;
    this.#next = offset;
  }

  position(): Position {
    return {
      log: this.#topic.log,
      topic: this.#topic.name,
      partition: this.#partition,
      offset: this.#offset,
    };
  }
  next({
    recordsMax = 1_000,
    waitMs = 0,
    signal = new AbortController().signal,
  }: Parameters<LogReader['next']>[0] = {}): ResultAsync<readonly Delivered[], ReadError> {
    return new ResultAsync(this.#read(recordsMax, waitMs, signal));
  }
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  async #read(
    recordsMax: number,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<Result<readonly Delivered[], ReadError>> {
    const { clock, admin } = this.#needs;
    for (const untilMs = clock.nowMs() + waitMs; this.#ahead.length === 0;) {
      if (this.#closed) return err(unavailable('log.read: the reader is closed', undefined, false));
      const bounds = (await boundsOf(admin, this.#topic.name)).map((all) => all.get(this.#partition));
      if (this.#ahead.length > 0) break; // a record arrived during the request
      if (bounds.isErr()) return err(bounds.error);
      const { earliest, head } = bounds.value ?? { earliest: 0, head: 0 };
      const placed = checkPlace(this.#topic, this.#partition, this.position(), { earliest, head });
      if (placed.isErr()) return err(placed.error);
      const leftMs = untilMs - clock.nowMs();
      const isThere = head > this.#next;
      if (!isThere && (leftMs <= 0 || signal.aborted)) return ok([]);
      await this.#arrival(isThere ? PATIENCE_MS : leftMs, signal);
      if (signal.aborted) return ok([]);
      if (isThere && this.#ahead.length === 0 && !this.#isAstray)
        return err(unavailable('log.read: existing records were not delivered in time'));
    }
    return ok(this.#serve(recordsMax));
  }
  #serve(recordsMax: number): readonly Delivered[] {
    const records = this.#ahead.splice(0, recordsMax);
    for (const one of records) this.#bytes -= heldBytes(one);
    this.#offset = this.#ahead[0]?.position.offset ?? this.#next;
    if (this.#isPaused && this.#bytes < this.#needs.settings.bufferBytesMax / 2) {
      this.#isPaused = false;
      this.#session?.resume([this.#partition]);
    }
    return records;
  }

  /** Resolves when a record arrives, a fetch goes wrong, or after `ms`. */
  async #arrival(ms: number, signal: AbortSignal): Promise<void> {
    const { wait } = this.#changed;
    if (this.#isAstray) {
      this.#isAstray = false;
      this.#holeAllowed = true; // our offset exists, so the gap is from compaction or a transaction
      this.#session?.seek(this.#partition, this.#next);
      this.#session?.resume([this.#partition]);
    }
    this.#session ??= this.#begin();
    if (this.#ahead.length > 0) return;
    const patience = AbortSignal.any([wait, signal]);
    await sleep(this.#needs.clock, ms, patience);
  }
  #begin(): Session {
    const { kafka, settings, clock, logger, name } = this.#needs;
    const session: Session = new Session({
      kafka,
      settings,
      clock,
      logger,
      topic: this.#topic.name,
      groupId: `${READER_PREFIX}${name}`,
      on: {
        assigned: (partitions) => {
          session.pause(partitions.filter((partition) => partition !== this.#partition || this.#isPaused));
          session.seek(this.#partition, this.#next);
        },
        fetched: (fetch) => this.#receive(session, fetch),
        signOfLife: () => {},
      },
    });
    session.start();
    void session.crashed.then(() => {
      if (this.#session === session) void this.#end();
    });
    return session;
  }
  #receive(session: Session, { batch, resolve }: Fetch): void {
    if (batch.partition !== this.#partition || this.#session !== session || this.#isAstray) return;
    const first = Number(batch.firstOffset() ?? this.#next);
    if (first < this.#next || (first > this.#next && !this.#holeAllowed)) {
      session.pause([this.#partition]);
      this.#isAstray = true;
      return this.#changed.notify();
    }
    for (const message of batch.messages) {
      const one = deliveredOf(this.#topic, this.#partition, message);
      this.#ahead.push(one);
      this.#bytes += heldBytes(one);
    }
    this.#next = Number(batch.lastOffset()) + 1;
    this.#holeAllowed = false;
    resolve(batch.lastOffset());
    if (this.#bytes >= this.#needs.settings.bufferBytesMax) {
      this.#isPaused = true;
      session.pause([this.#partition]);
    }
    this.#changed.notify();
  }
  async #end(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#changed.notify();
    await session?.stop();
  }
}
