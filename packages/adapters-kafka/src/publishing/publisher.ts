import {
  admit,
  recordBytes,
  unavailable,
  type LogRecord,
  type PartitionRecords,
  type PublishError,
} from '@doska/core/kernel';
import type { Message } from 'kafkajs';
import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { KafkaSettings } from '../settings.ts';
import type { KafkaTopics } from '../topics/kafka-topics.ts';
import type { Chunk, Lane } from './lane.ts';

type Needs = {
  readonly topics: Pick<KafkaTopics, 'known' | 'look'>;
  readonly lanes: readonly Pick<Lane, 'add'>[];
  readonly settings: KafkaSettings;
};
type Answer = Result<void, PublishError>;
/** Where a caller's records of one topic go on one lane: the chunk that is being filled. */
type Filling = Map<string, Chunk>[];

const messageOf = ({ key, value, headers }: LogRecord, partition: number): Message => ({
  key,
  // kafkajs takes nothing but a Buffer; another view of the same bytes is not free.
  value: Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  partition,
  ...(headers === undefined ? {} : { headers: { ...headers } }),
});

/** Looks at every record first, then spreads them over the lanes: a partition, hence a key, always goes by the same one. */
export class KafkaPublisher {
  readonly #needs: Needs;
  #queuedBytes = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  publish(records: readonly LogRecord[]): ResultAsync<void, PublishError> {
    return new ResultAsync(
      this.#admit(records).then((admitted) =>
        admitted.isErr() ? err(admitted.error) : this.#enqueue(admitted.value),
      ),
    );
  }

  async #admit(records: readonly LogRecord[]): Promise<Result<readonly PartitionRecords[], PublishError>> {
    const { topics } = this.#needs;
    const unknown = new Set<string>();
    for (const { topic } of records) if (!topics.known(topic)) unknown.add(topic);
    if (unknown.size > 0) {
      const looked = await topics.look([...unknown]);
      if (looked.isErr()) return err(looked.error);
    }
    return admit(records, (name) => topics.known(name));
  }

  #enqueue(admitted: readonly PartitionRecords[]): Promise<Answer> {
    if (admitted.length === 0) return Promise.resolve(ok(undefined));
    const { queuedBytesMax } = this.#needs.settings;
    if (this.#queuedBytes > queuedBytesMax)
      return Promise.resolve(err(unavailable(`log.publish: ${queuedBytesMax} bytes wait already`)));
    return new Promise((resolve) => {
      let open = 1; // until every chunk is handed over
      let failed: PublishError | undefined;
      const settleOne = (failure: PublishError | undefined): void => {
        failed ??= failure;
        if (--open === 0) resolve(failed ? err(failed) : ok(undefined));
      };
      this.#spread(admitted, (topic) => {
        open++;
        const chunk: Chunk = {
          topic,
          messages: [],
          bytes: 0,
          settle: (failure) => {
            this.#queuedBytes -= chunk.bytes;
            settleOne(failure);
          },
        };
        return chunk;
      });
      settleOne(undefined);
    });
  }
  /** Fills chunks of at most one send's worth, and hands each over when it is full or everything is in. */
  #spread(admitted: readonly PartitionRecords[], begin: (topic: string) => Chunk): void {
    const { lanes, settings } = this.#needs;
    const filling: Filling = lanes.map(() => new Map<string, Chunk>());
    const handOver = (lane: number, chunk: Chunk): void => {
      this.#queuedBytes += chunk.bytes;
      lanes[lane]?.add(chunk);
    };
    for (const { topic, partition, records } of admitted) {
      const { name } = topic;
      const lane = (name.length + partition) % lanes.length; // not every topic's partition 0 on the same one
      let chunk = filling[lane]?.get(name);
      for (const record of records) {
        const bytes = recordBytes(record);
        const isFull =
          chunk !== undefined &&
          (chunk.messages.length >= settings.sendRecordsMax || chunk.bytes + bytes > settings.sendBytesMax);
        if (chunk === undefined || isFull) {
          if (chunk) handOver(lane, chunk);
          chunk = begin(name);
          filling[lane]?.set(name, chunk);
        }
        chunk.messages.push(messageOf(record, partition));
        chunk.bytes += bytes;
      }
    }
    filling.forEach((byTopic, lane) => byTopic.forEach((chunk) => handOver(lane, chunk)));
  }
}
