import { err, errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import type pg from 'pg';
import {
  admit,
  leaseEnded,
  unavailable,
  type Fence,
  type LogRecord,
  type PartitionRecords,
  type PublishError,
  type PublishOptions,
} from '@doska/core/kernel';
import { codeOf, isRetryable } from '../driver/guard.ts';
import { inLockOrder, placeOf, publishArguments } from './flush.ts';
import { PublishQueue, type Answer, type Group } from './publish-queue.ts';
import type { PgTopic, PgTopics } from './topics.ts';

export type PublisherSettings = {
  /** The most flushes of one process at the same time. */
  readonly flushesMax: number;
  readonly flushRecordsMax: number;
  readonly flushBytesMax: number;
  /** Refuses callers while more bytes than this wait. */
  readonly queuedBytesMax: number;
};
export const defaultPublisherSettings: PublisherSettings = {
  flushesMax: 2,
  flushRecordsMax: 4_000,
  flushBytesMax: 4 << 20,
  queuedBytesMax: 256 << 20,
};

type Needs = {
  readonly topics: PgTopics;
  /** For flushes; small. */
  readonly pool: pg.Pool;
  /** For publishes that wait for the lock of a partition. A separate pool, so that they do not use up the connections of flushes. */
  readonly lockWaitPool: pg.Pool;
  readonly onPublished: (topics: Iterable<string>) => void;
  readonly settings: PublisherSettings;
};
type Admitted = readonly PartitionRecords<PgTopic>[];

const failure = (cause: unknown): PublishError => unavailable('log.publish', cause, isRetryable(cause));
/** The offset that `log_publish` returns if the topic no longer exists. */
const TOPIC_GONE = '-1';
/** The error that `log_publish_fenced` raises for it. */
const TOPIC_GONE_CODE = 'DL001';
const topicGone = unavailable('log.publish: the topic was deleted or created again');

/**
 * Publishes the records of many callers in few statements. Each partition has its own queue: a publish to a locked
 * partition waits on a separate connection, and the other partitions go on.
 */
export class PgPublisher {
  readonly #needs: Needs;
  readonly #queue: PublishQueue;
  #flushes = 0;
  #gathering = false;

  constructor(needs: Needs) {
    this.#needs = needs;
    const { flushRecordsMax: recordsMax, flushBytesMax: bytesMax } = needs.settings;
    this.#queue = new PublishQueue({ recordsMax, bytesMax });
  }

  publish(
    records: readonly LogRecord[],
    { fence, isHeld = () => true }: PublishOptions = {},
  ): ResultAsync<void, PublishError> {
    return this.#admit(records).andThen((admitted): ResultAsync<void, PublishError> => {
      if (!isHeld()) return errAsync(leaseEnded());
      if (fence) return new ResultAsync(this.#fenced(admitted, fence));
      return admitted.length === 0 ? okAsync(undefined) : new ResultAsync(this.#enqueue(admitted));
    });
  }

  /**
   * Publishes inside the caller's READ COMMITTED transaction. Call it once, as the last statement: the partitions stay
   * locked until the transaction ends. Call `published` of the log after the commit.
   */
  publishIn(tx: pg.ClientBase, records: readonly LogRecord[]): ResultAsync<void, PublishError> {
    const send = async (admitted: Admitted): Promise<Answer> => {
      if (admitted.length === 0) return ok(undefined);
      const { rows } = await tx.query<{ answer: string[] }>(
        'select log_publish(true, $1, $2, $3, $4, $5, $6) as answer',
        publishArguments(inLockOrder(admitted.map(placeOf))),
      );
      return this.#topicsStood(admitted, rows[0]?.answer ?? []);
    };
    return this.#admit(records)
      .andThen((admitted) => ResultAsync.fromPromise(send(admitted), failure))
      .andThen((answer) => answer);
  }

  #admit(records: readonly LogRecord[]): ResultAsync<Admitted, PublishError> {
    const { topics } = this.#needs;
    const known = (name: string): PgTopic | undefined => topics.known(name);
    const unknown = records.filter(({ topic }) => known(topic) === undefined).map(({ topic }) => topic);
    if (unknown.length === 0) return new ResultAsync(Promise.resolve(admit(records, known)));
    return topics.look([...new Set(unknown)]).andThen(() => admit(records, known));
  }
  #topicsStood(admitted: Admitted, answer: readonly (string | null)[]): Answer {
    if (!answer.includes(TOPIC_GONE)) return ok(undefined);
    for (const { topic } of admitted) this.#needs.topics.forget(topic.name);
    return err(topicGone);
  }

  async #fenced(admitted: Admitted, { resource, token, sequence }: Fence): Promise<Answer> {
    const text = 'select verdict, highest from log_publish_fenced($1, $2, $3, $4, $5, $6, $7, $8, $9)';
    type Verdict = { verdict: string; highest: string };
    try {
      const { rows } = await this.#needs.lockWaitPool.query<Verdict>({
        name: 'log_publish_fenced',
        text,
        values: [resource, token, sequence, ...publishArguments(inLockOrder(admitted.map(placeOf)))],
      });
      if (rows[0]?.verdict === 'fenced')
        return err({ kind: 'Fenced', resource, token, highestToken: Number(rows[0].highest) });
      this.#needs.onPublished(new Set(admitted.map(({ topic }) => topic.name)));
      return ok(undefined);
    } catch (cause) {
      return codeOf(cause) === TOPIC_GONE_CODE
        ? this.#topicsStood(admitted, [TOPIC_GONE])
        : err(failure(cause));
    }
  }

  #enqueue(admitted: Admitted): Promise<Answer> {
    const { queuedBytesMax } = this.#needs.settings;
    if (this.#queue.bytes > queuedBytesMax)
      return Promise.resolve<Result<never, PublishError>>(
        err(unavailable(`log.publish: more than ${queuedBytesMax} bytes are waiting to be published`)),
      );
    const answer = this.#queue.add(admitted);
    this.#flushSoon();
    return answer;
  }
  /** Waits until all callers of this turn of the event loop have published: an acknowledged flush wakes many at once. */
  #flushSoon(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    setImmediate(() => {
      this.#gathering = false;
      while (this.#flushes < this.#needs.settings.flushesMax && this.#queue.hasReady)
        void this.#flush(this.#queue.take());
    });
  }
  async #flush(groups: readonly Group[]): Promise<void> {
    this.#flushes++;
    await this.#write(this.#needs.pool, false, groups);
    this.#flushes--;
    this.#flushSoon();
  }
  async #write(pool: pg.Pool, wait: boolean, taken: readonly Group[]): Promise<void> {
    const groups = inLockOrder(taken);
    try {
      const { rows } = await pool.query<{ answer: (string | null)[] }>({
        name: 'log_publish',
        text: 'select log_publish($1, $2, $3, $4, $5, $6, $7) as answer',
        values: [wait, ...publishArguments(groups)],
      });
      const answer = rows[0]?.answer ?? [];
      const stored = groups.filter((_group, i) => answer[i] !== null && answer[i] !== TOPIC_GONE);
      if (stored.length > 0) this.#needs.onPublished(new Set(stored.map(({ topic }) => topic.name)));
      groups.forEach((group, i) => this.#answered(group, answer[i] ?? null));
    } catch (cause) {
      for (const group of groups) this.#queue.done(group, failure(cause));
    }
  }
  #answered(group: Group, lastOffset: string | null): void {
    if (lastOffset === null) {
      void this.#write(this.#needs.lockWaitPool, true, [group]).then(() => this.#flushSoon());
    } else if (lastOffset === TOPIC_GONE) {
      this.#needs.topics.forget(group.topic.name);
      this.#queue.forget(group);
      this.#queue.done(group, topicGone);
    } else this.#queue.done(group, undefined);
  }
}
