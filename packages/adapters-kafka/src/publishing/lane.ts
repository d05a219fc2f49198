import {
  delayMs,
  sleep,
  unavailable,
  type Clock,
  type Logger,
  type PublishError,
  type Random,
} from '@doska/core/kernel';
import { CompressionTypes, type Kafka, type Message, type Producer } from 'kafkajs';
import { isRetryable, unavailableBy } from '../driver/guard.ts';
import { producerConfig, type KafkaSettings } from '../settings.ts';

/** What one caller has for one topic on one lane; at most one send's worth. */
export type Chunk = {
  readonly topic: string;
  readonly messages: Message[];
  bytes: number;
  readonly settle: (failure: PublishError | undefined) => void;
};
type Needs = {
  readonly kafka: Pick<Kafka, 'producer'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: KafkaSettings;
  /** A send failed for good: what was believed of its topics may be out of date. */
  readonly onGivenUp: (topics: readonly string[]) => void;
};

const PAUSE = { firstMs: 100, factor: 2, maxMs: 1_000, jitter: 0.2 };
const topicsOf = (part: readonly Chunk[]): readonly string[] => [...new Set(part.map(({ topic }) => topic))];

/**
 * One producer with one send in flight. kafkajs reorders parallel sends always, and loses acknowledged records of them
 * when one answer is lost; and an object whose send has failed may acknowledge the next one without storing it (K1).
 * So a failed object is thrown away and the same records go through a new one. A send is never left before it has
 * settled: nothing of it can come later than what follows (K5).
 */
export class Lane {
  readonly #needs: Needs;
  readonly #queue: Chunk[] = [];
  readonly #leaving = new Set<Promise<void>>();
  readonly #over = new AbortController();
  readonly #sentTo = new Set<string>();
  #producer: Producer | undefined;
  #pumping: Promise<void> | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  add(chunk: Chunk): void {
    this.#queue.push(chunk);
    this.#pumping ??= this.#pump().finally(() => (this.#pumping = undefined));
  }

  /** What waits is refused, the send under way is waited for. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#pumping;
    this.#discard();
    await Promise.all(this.#leaving);
  }

  async #pump(): Promise<void> {
    await Promise.resolve(); // callers of the same tick share a send
    while (this.#queue.length > 0) {
      const part = this.#take();
      const failure = this.#over.signal.aborted
        ? unavailable('log.publish: the log is closed', undefined, false)
        : await this.#deliver(part);
      if (failure === 'apart') for (const one of byTopic(part)) this.#settle(one, await this.#deliver(one));
      else this.#settle(part, failure);
    }
  }
  #take(): readonly Chunk[] {
    const { sendRecordsMax, sendBytesMax } = this.#needs.settings;
    let [count, records, bytes] = [0, 0, 0];
    for (const chunk of this.#queue) {
      records += chunk.messages.length;
      bytes += chunk.bytes;
      if (count > 0 && (records > sendRecordsMax || bytes > sendBytesMax)) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }
  #settle(part: readonly Chunk[], failure: PublishError | undefined | 'apart'): void {
    const told = failure === 'apart' ? undefined : failure;
    if (told) this.#needs.onGivenUp(topicsOf(part));
    for (const { settle } of part) settle(told);
  }

  /** Undefined: stored. `apart`: several topics failed together, so that each is to be tried by itself. */
  async #deliver(part: readonly Chunk[]): Promise<PublishError | undefined | 'apart'> {
    const { clock, random, logger, settings } = this.#needs;
    const mixed = topicsOf(part).length > 1;
    for (let attempt = 1; ; attempt++) {
      try {
        this.#renewFor(part);
        const producer = (this.#producer ??= await this.#connected());
        await producer.sendBatch({
          acks: -1,
          compression: settings.compression === 'gzip' ? CompressionTypes.GZIP : CompressionTypes.None,
          topicMessages: byTopic(part).map((chunks) => ({
            topic: chunks[0]!.topic,
            messages: chunks.length === 1 ? chunks[0]!.messages : chunks.flatMap(({ messages }) => messages),
          })),
        });
        return undefined;
      } catch (cause) {
        this.#discard();
        if (mixed) return 'apart';
        const last = attempt >= settings.producersMax || !isRetryable(cause) || this.#over.signal.aborted;
        logger.warn('a send failed', { topics: topicsOf(part), attempt, last, cause });
        if (last) return unavailableBy('log.publish', cause);
        await sleep(clock, delayMs(PAUSE, attempt, random), this.#over.signal);
      }
    }
  }
  /**
   * kafkajs asks after every topic an object has ever sent to whenever a new one comes, and fails when one of them was
   * deleted since. So a new topic gets a new object, which knows only of topics that are still sent to.
   */
  #renewFor(part: readonly Chunk[]): void {
    const before = this.#sentTo.size;
    for (const { topic } of part) this.#sentTo.add(topic);
    if (this.#sentTo.size > before) this.#discard();
  }
  /** K2: an object whose `connect` failed would send all the same, without an id; it is never kept. */
  async #connected(): Promise<Producer> {
    const producer = this.#needs.kafka.producer(producerConfig(this.#needs.settings));
    try {
      await producer.connect();
      return producer;
    } catch (cause) {
      this.#leave(producer);
      throw cause;
    }
  }
  #discard(): void {
    if (this.#producer) this.#leave(this.#producer);
    this.#producer = undefined;
  }
  /** Nothing of it is in flight any more, so nobody has to wait for its goodbye. */
  #leave(producer: Producer): void {
    const left = producer.disconnect().catch(() => {});
    this.#leaving.add(left);
    void left.finally(() => this.#leaving.delete(left));
  }
}

const byTopic = (part: readonly Chunk[]): (readonly Chunk[])[] => {
  const groups = new Map<string, Chunk[]>();
  for (const chunk of part) {
    const group = groups.get(chunk.topic);
    if (group) group.push(chunk);
    else groups.set(chunk.topic, [chunk]);
  }
  return [...groups.values()];
};
