import {
  delayMs,
  leaseEnded,
  sleep,
  unavailable,
  type Clock,
  type Logger,
  type LogRecord,
  type PublishError,
  type Random,
} from '@doska/core/kernel';
import { CompressionTypes, type Kafka, type Message, type Producer } from 'kafkajs';
import { isRetryable, isTooLarge, unavailableBy } from '../driver/guard.ts';
import { producerConfig, type KafkaSettings } from '../settings.ts';

/** The broker refused the only record of a send, because it is larger than the topic allows. */
export type RefusedAsTooLarge = {
  readonly kind: 'RefusedAsTooLarge';
  readonly records: readonly LogRecord[];
};
type SendFailure = PublishError | RefusedAsTooLarge;
/** The records of one caller for one topic on one lane, at most one send. */
export type Chunk = {
  readonly topic: string;
  readonly messages: Message[];
  /** `records[n]` became `messages[n]`. */
  readonly records: LogRecord[];
  bytes: number;
  /** See `PublishOptions.isHeld`. */
  readonly isHeld?: () => boolean;
  readonly settle: (failure: SendFailure | undefined) => void;
};
type Needs = {
  readonly kafka: Pick<Kafka, 'producer'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: KafkaSettings;
  /** Called when a send has failed finally, so cached data of its topics may be outdated. */
  readonly onGivenUp: (topics: readonly string[]) => void;
};

const PAUSE = { firstMs: 100, factor: 2, maxMs: 1_000, jitter: 0.2 };
const topicsOf = (part: readonly Chunk[]): readonly string[] => [...new Set(part.map(({ topic }) => topic))];

/**
 * One producer with one send in flight. kafkajs reorders parallel sends and loses acknowledged records when one response is
 * lost. A producer object whose send failed may acknowledge the next send without storing it (K1). So a failed object is
 * discarded, and a new one sends the same records. A send is always awaited until it settles, so it cannot write after
 * later records (K5).
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

  /** Refuses waiting records and waits for the running send. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#pumping;
    this.#discard();
    await Promise.all(this.#leaving);
  }

  async #pump(): Promise<void> {
    await Promise.resolve(); // callers in the same tick share a send
    while (this.#queue.length > 0) {
      await this.#send(this.#take());
    }
  }
  async #send(part: Chunk[]): Promise<void> {
    const failure = this.#over.signal.aborted
      ? unavailable('log.publish: the log is closed', undefined, false)
      : await this.#deliver(part);
    if (failure !== 'apart') this.#settle(part, failure);
    else for (const smaller of dividedParts(part)) await this.#send(smaller);
  }
  #take(): Chunk[] {
    const { sendRecordsMax, sendBytesMax } = this.#needs.settings;
    let count = 0;
    let records = 0;
    let bytes = 0;
    for (const chunk of this.#queue) {
      records += chunk.messages.length;
      bytes += chunk.bytes;
      if (count > 0 && (records > sendRecordsMax || bytes > sendBytesMax)) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }
  #settle(part: readonly Chunk[], failure: SendFailure | undefined): void {
    if (failure) this.#needs.onGivenUp(topicsOf(part));
    for (const { settle } of part) settle(failure);
  }

  /**
   * Undefined: stored. `apart`: a send of several topics failed, or the broker found a send of several records too large. Then
   * smaller sends find out whose failure it is.
   */
  async #deliver(part: Chunk[]): Promise<SendFailure | undefined | 'apart'> {
    const { clock, random, logger, settings } = this.#needs;
    const mixed = topicsOf(part).length > 1;
    for (let attempt = 1; ; attempt++) {
      try {
        this.#renewFor(part);
        const producer = (this.#producer ??= await this.#connected());
        this.#dropUnheld(part);
        if (part.length === 0) return undefined;
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
        if (isTooLarge(cause)) {
          const records = part.flatMap((chunk) => chunk.records);
          return records.length > 1 ? 'apart' : { kind: 'RefusedAsTooLarge', records };
        }
        const last = attempt >= settings.producersMax || !isRetryable(cause) || this.#over.signal.aborted;
        logger.warn('a send to Kafka failed', { topics: topicsOf(part), attempt, last, cause });
        if (last) return unavailableBy('log.publish', cause);
        await sleep(clock, delayMs(PAUSE, attempt, random), this.#over.signal);
      }
    }
  }
  /** Answers and removes the chunks whose lease has ended: a process that was paused must not send them any more. */
  #dropUnheld(part: Chunk[]): void {
    const unheld = part.filter(({ isHeld = () => true }) => !isHeld());
    for (const chunk of unheld) {
      part.splice(part.indexOf(chunk), 1);
      chunk.settle(leaseEnded());
    }
  }
  /**
   * For a new topic kafkajs requests metadata of every topic the object ever used, and fails if one was deleted. So a new
   * topic gets a new producer object that knows only topics in use.
   */
  #renewFor(part: readonly Chunk[]): void {
    const before = this.#sentTo.size;
    for (const { topic } of part) this.#sentTo.add(topic);
    if (this.#sentTo.size > before) this.#discard();
  }
  /** K2: an object whose `connect` failed would send without a producer id, so it is never kept. */
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
  /** Disconnects in the background; no send is in flight. */
  #leave(producer: Producer): void {
    const left = producer.disconnect().catch(() => {});
    this.#leaving.add(left);
    void left.finally(() => this.#leaving.delete(left));
  }
}

/** One part a topic; else one part a chunk; else the two halves of the only chunk. */
const dividedParts = (part: readonly Chunk[]): readonly Chunk[][] => {
  const [first, ...others] = part;
  if (first === undefined) return [];
  if (others.length === 0) return halvesOf(first).map((half) => [half]);
  return topicsOf(part).length > 1 ? byTopic(part) : part.map((chunk) => [chunk]);
};
/** Halves that are sent one after the other. The chunk is settled with what went wrong in either. */
const halvesOf = (chunk: Chunk): readonly Chunk[] => {
  const middle = Math.ceil(chunk.records.length / 2);
  const failures: (SendFailure | undefined)[] = [];
  const half = (start: number, end?: number): Chunk => ({
    ...chunk,
    messages: chunk.messages.slice(start, end),
    records: chunk.records.slice(start, end),
    settle: (failure) => {
      failures.push(failure);
      if (failures.length === 2) chunk.settle(failureOfAll(failures));
    },
  });
  return [half(0, middle), half(middle)];
};
/** Records that are too large are named together. Any other failure hides them: the caller tries all records again. */
export const failureOfAll = (failures: readonly (SendFailure | undefined)[]): SendFailure | undefined => {
  const refused: LogRecord[] = [];
  for (const failure of failures) {
    if (failure?.kind === 'RefusedAsTooLarge') refused.push(...failure.records);
    else if (failure) return failure;
  }
  return refused.length > 0 ? { kind: 'RefusedAsTooLarge', records: refused } : undefined;
};

const byTopic = (part: readonly Chunk[]): Chunk[][] => {
  const groups = new Map<string, Chunk[]>();
  for (const chunk of part) {
    const group = groups.get(chunk.topic);
    if (group) group.push(chunk);
    else groups.set(chunk.topic, [chunk]);
  }
  return [...groups.values()];
};
