import {
  admit,
  recordBytes,
  unavailable,
  type LogRecord,
  type PartitionRecords,
  type PublishError,
  type PublishOptions,
} from '@doska/core/kernel';
import type { Message } from 'kafkajs';
import { err, errAsync, ok, ResultAsync, type Result } from 'neverthrow';
import type { KafkaSettings } from '../settings.ts';
import type { KafkaTopics } from '../topics/kafka-topics.ts';
import { failureOfAll, type Chunk, type Lane, type RefusedAsTooLarge } from './lane.ts';

type Needs = {
  readonly topics: Pick<KafkaTopics, 'known' | 'look'>;
  readonly lanes: readonly Pick<Lane, 'add'>[];
  readonly settings: KafkaSettings;
};
type Answer = Result<void, PublishError | RefusedAsTooLarge>;
/** The chunk that is being filled with a caller's records of one topic for one lane. */
type Filling = Map<string, Chunk>[];

const messageOf = ({ key, value, headers }: LogRecord, partition: number): Message => ({
  key,
  // kafkajs accepts only a Buffer, and creating another view has a cost.
  value: Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  partition,
  ...(headers === undefined ? {} : { headers: { ...headers } }),
});

/** Checks all records first, then distributes them to the lanes. A partition, and so a key, always uses the same lane. */
export class KafkaPublisher {
  readonly #needs: Needs;
  #queuedBytes = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  publish(records: readonly LogRecord[], { isHeld }: PublishOptions = {}): ResultAsync<void, PublishError> {
    return new ResultAsync(
      this.#admit(records).then((admitted) =>
        admitted.isErr() ? err(admitted.error) : this.#enqueue(admitted.value, isHeld),
      ),
    ).orElse((error) =>
      error.kind === 'RefusedAsTooLarge' ? this.#tooLarge(records, error) : errAsync(error),
    );
  }
  /** The topic's limit is smaller than what we knew, so the answer names the limit of now. */
  #tooLarge(all: readonly LogRecord[], { records }: RefusedAsTooLarge): ResultAsync<never, PublishError> {
    const { topics } = this.#needs;
    const refused = new Set(records);
    return topics.look([...new Set(records.map(({ topic }) => topic))]).andThen(() =>
      err({
        kind: 'RecordsTooLarge' as const,
        records: [...all.entries()]
          .filter(([, record]) => refused.has(record))
          .map(([index, record]) => ({
            index,
            topic: record.topic,
            key: record.key,
            bytes: recordBytes(record),
            bytesMax: topics.known(record.topic)?.recordBytesMax ?? 0,
          })),
      }),
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

  #enqueue(admitted: readonly PartitionRecords[], isHeld: PublishOptions['isHeld']): Promise<Answer> {
    if (admitted.length === 0) return Promise.resolve(ok(undefined));
    const { queuedBytesMax } = this.#needs.settings;
    if (this.#queuedBytes > queuedBytesMax)
      return Promise.resolve(err(unavailable(`log.publish: ${queuedBytesMax} bytes are already waiting`)));
    return new Promise((resolve) => {
      let open = 1; // until every chunk is passed on
      const failures: Parameters<Chunk['settle']>[0][] = [];
      const settleOne: Chunk['settle'] = (failure) => {
        failures.push(failure);
        if (--open > 0) return;
        const failed = failureOfAll(failures);
        resolve(failed ? err(failed) : ok(undefined));
      };
      this.#spread(admitted, (topic) => {
        open++;
        const chunk: Chunk = {
          topic,
          messages: [],
          records: [],
          bytes: 0,
          ...(isHeld ? { isHeld } : {}),
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
  /** Fills chunks of at most one send and passes on each full chunk and the rest at the end. */
  #spread(admitted: readonly PartitionRecords[], begin: (topic: string) => Chunk): void {
    const { lanes, settings } = this.#needs;
    const filling: Filling = lanes.map(() => new Map<string, Chunk>());
    const handOver = (lane: number, chunk: Chunk): void => {
      this.#queuedBytes += chunk.bytes;
      lanes[lane]?.add(chunk);
    };
    for (const { topic, partition, records } of admitted) {
      const { name } = topic;
      const lane = (name.length + partition) % lanes.length; // so that partition 0 of all topics does not use the same lane
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
        chunk.records.push(record);
        chunk.bytes += bytes;
      }
    }
    filling.forEach((byTopic, lane) => byTopic.forEach((chunk) => handOver(lane, chunk)));
  }
}
