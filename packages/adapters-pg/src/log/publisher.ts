import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type pg from 'pg';
import {
  admit,
  unavailable,
  type Admitted,
  type Fence,
  type LogRecord,
  type PublishError,
} from '@doska/core/kernel';
import { isRetryable } from '../driver/guard.ts';
import { packRecords } from './record-frame.ts';
import type { PgTopic, PgTopics } from './topics.ts';

export type PublisherSettings = {
  /** Flushes of one process at the same time. */
  readonly flushesMax: number;
  readonly flushRecordsMax: number;
  readonly flushBytesMax: number;
  /** Callers are refused when so many bytes wait already. */
  readonly queuedBytesMax: number;
};
export const defaultPublisherSettings: PublisherSettings = {
  flushesMax: 2,
  flushRecordsMax: 2_000,
  flushBytesMax: 4 << 20,
  queuedBytesMax: 256 << 20,
};

type Answer = Result<void, PublishError>;
/** One caller: settled when each of its chunks is, with the first error. */
type Call = { open: number; failed: PublishError | undefined; readonly settle: (answer: Answer) => void };
/** What one caller has for one partition. */
type Chunk = { readonly call: Call; readonly frame: Buffer; readonly records: number };
type Lane = { readonly topic: PgTopic; readonly partition: number; readonly chunks: Chunk[]; busy: boolean };
/** One partition's share of a flush. */
type Group = { readonly lane: Lane; readonly chunks: readonly Chunk[] };

const settleChunk = ({ call }: Chunk, failure: PublishError | undefined): void => {
  call.failed ??= failure;
  if (--call.open === 0) call.settle(call.failed ? err(call.failed) : ok(undefined));
};
const byPlace = (a: { readonly topicId: number; readonly partition: number }, b: typeof a): number =>
  a.topicId - b.topicId || a.partition - b.partition;

/** The arguments of `log_publish`, groups in ascending order: whoever locks several partitions locks them in that order. */
const publishArguments = (
  groups: readonly {
    readonly topicId: number;
    readonly partition: number;
    readonly records: number;
    readonly frames: readonly Buffer[];
  }[],
): unknown[] => {
  const starts: number[] = [];
  const lengths: number[] = [];
  let at = 1; // SQL counts bytes from one
  for (const { frames } of groups) {
    const length = frames.reduce((sum, frame) => sum + frame.length, 0);
    starts.push(at);
    lengths.push(length);
    at += length;
  }
  return [
    groups.map((g) => g.topicId),
    groups.map((g) => g.partition),
    groups.map((g) => g.records),
    starts,
    lengths,
    Buffer.concat(groups.flatMap((g) => g.frames)),
  ];
};
const sorted = (
  admitted: readonly Admitted[],
): {
  readonly topicId: number;
  readonly partition: number;
  readonly records: number;
  readonly frames: readonly Buffer[];
}[] => {
  const places = new Map<string, { topicId: number; partition: number; records: LogRecord[] }>();
  for (const { record, topic, partition } of admitted) {
    const topicId = (topic as PgTopic).id;
    const place = places.get(`${topicId}/${partition}`);
    if (place) place.records.push(record);
    else places.set(`${topicId}/${partition}`, { topicId, partition, records: [record] });
  }
  return [...places.values()].sort(byPlace).map(({ topicId, partition, records }) => ({
    topicId,
    partition,
    records: records.length,
    frames: [packRecords(records)],
  }));
};

type Needs = {
  readonly topics: PgTopics;
  /** For flushes; small. */
  readonly pool: pg.Pool;
  /** For publishes that have to wait for a partition's lock: apart, or they would take the flushes' connections. */
  readonly patientPool: pg.Pool;
  readonly onPublished: (topics: Iterable<string>) => void;
  readonly settings: PublisherSettings;
};

/**
 * Gathers what many callers publish into few statements. A queue per partition: a partition that somebody keeps
 * locked waits on a connection of its own, everybody else goes on.
 */
export class PgPublisher {
  readonly #needs: Needs;
  readonly #lanes = new Map<string, Lane>();
  readonly #ready = new Set<Lane>();
  #flushes = 0;
  #queuedBytes = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  publish(records: readonly LogRecord[], fence: Fence | undefined): ResultAsync<void, PublishError> {
    return new ResultAsync(
      this.#admit(records).then((admitted) =>
        admitted.isErr()
          ? err(admitted.error)
          : fence
            ? this.#fenced(admitted.value, fence)
            : this.#enqueue(admitted.value),
      ),
    );
  }

  /**
   * As the last statement of the caller's own READ COMMITTED transaction, once per transaction: the partitions stay
   * locked until it ends. Call `published` of the log after the commit.
   */
  publishIn(tx: pg.ClientBase, records: readonly LogRecord[]): ResultAsync<void, PublishError> {
    const run = async (): Promise<Answer> => {
      const admitted = await this.#admit(records);
      if (admitted.isErr()) return err(admitted.error);
      if (admitted.value.length === 0) return ok(undefined);
      const { rows } = await tx.query<{ answer: string[] }>(
        'select log_publish(true, $1, $2, $3, $4, $5, $6) as answer',
        publishArguments(sorted(admitted.value)),
      );
      return this.#topicsStood(admitted.value, rows[0]?.answer ?? []);
    };
    return ResultAsync.fromPromise(run(), (cause): PublishError =>
      unavailable('log.publishIn', cause, isRetryable(cause)),
    ).andThen((answer) => answer);
  }

  async #admit(records: readonly LogRecord[]): Promise<Result<readonly Admitted[], PublishError>> {
    const { topics } = this.#needs;
    const unknown = new Set(records.map(({ topic }) => topic).filter((topic) => !topics.known(topic)));
    if (unknown.size > 0) {
      const looked = await topics.look([...unknown]);
      if (looked.isErr()) return err(looked.error);
    }
    return admit(records, (name) => topics.known(name));
  }
  #topicsStood(admitted: readonly Admitted[], answer: readonly (string | null)[]): Answer {
    if (!answer.includes('-1')) return ok(undefined);
    for (const { topic } of admitted) this.#needs.topics.forget(topic.name);
    return err(unavailable('log.publish: the topic was deleted or made anew'));
  }

  async #fenced(admitted: readonly Admitted[], { resource, token, sequence }: Fence): Promise<Answer> {
    const text =
      'select verdict, highest, answer from log_publish_fenced($1, $2, $3, $4, $5, $6, $7, $8, $9)';
    try {
      const { rows } = await this.#needs.patientPool.query<{
        verdict: string;
        highest: string;
        answer: string[] | null;
      }>({
        ...{ name: 'log_publish_fenced', text },
        values: [resource, token, sequence, ...publishArguments(sorted(admitted))],
      });
      if (rows[0]?.verdict === 'fenced')
        return err({ kind: 'Fenced', resource, token, highestToken: Number(rows[0].highest) });
      this.#needs.onPublished(new Set(admitted.map(({ topic }) => topic.name)));
      return this.#topicsStood(admitted, rows[0]?.answer ?? []);
    } catch (cause) {
      return err(unavailable('log.publish', cause, isRetryable(cause)));
    }
  }

  #enqueue(admitted: readonly Admitted[]): Promise<Answer> {
    if (admitted.length === 0) return Promise.resolve(ok(undefined));
    const { queuedBytesMax } = this.#needs.settings;
    if (this.#queuedBytes > queuedBytesMax)
      return Promise.resolve(err(unavailable(`log.publish: ${queuedBytesMax} bytes wait already`)));
    return new Promise((settle) => {
      const byLane = new Map<Lane, LogRecord[]>();
      for (const { record, topic, partition } of admitted) {
        const lane = this.#lane(topic as PgTopic, partition);
        const records = byLane.get(lane);
        if (records) records.push(record);
        else byLane.set(lane, [record]);
      }
      const call: Call = { open: byLane.size, failed: undefined, settle };
      for (const [lane, records] of byLane) {
        const frame = packRecords(records);
        this.#queuedBytes += frame.length;
        lane.chunks.push({ call, frame, records: records.length });
        if (!lane.busy) this.#ready.add(lane);
      }
      this.#flush();
    });
  }
  #lane(topic: PgTopic, partition: number): Lane {
    const key = `${topic.id}/${partition}`;
    const found = this.#lanes.get(key);
    if (found) return found;
    const lane: Lane = { topic, partition, chunks: [], busy: false };
    this.#lanes.set(key, lane);
    return lane;
  }

  /** Takes from every partition that nobody is writing to, within the flush's bounds. */
  #gather(): Group[] {
    const { flushRecordsMax, flushBytesMax } = this.#needs.settings;
    const groups: Group[] = [];
    let records = 0;
    let bytes = 0;
    for (const lane of this.#ready) {
      let taken = 0;
      for (const chunk of lane.chunks) {
        const fits =
          records + chunk.records <= flushRecordsMax && bytes + chunk.frame.length <= flushBytesMax;
        if (!fits && records > 0) break;
        records += chunk.records;
        bytes += chunk.frame.length;
        taken++;
      }
      if (taken === 0) break;
      lane.busy = true;
      this.#ready.delete(lane);
      groups.push({ lane, chunks: lane.chunks.splice(0, taken) });
    }
    this.#queuedBytes -= bytes;
    return groups;
  }
  #flush(): void {
    while (this.#flushes < this.#needs.settings.flushesMax && this.#ready.size > 0) {
      this.#flushes++;
      const groups = this.#gather();
      void this.#write(this.#needs.pool, false, groups).finally(() => {
        this.#flushes--;
        this.#flush();
      });
    }
  }
  #done({ lane, chunks }: Group, failure: PublishError | undefined): void {
    lane.busy = false;
    if (lane.chunks.length > 0) this.#ready.add(lane);
    for (const chunk of chunks) settleChunk(chunk, failure);
  }
  async #write(pool: pg.Pool, wait: boolean, groups: readonly Group[]): Promise<void> {
    const places = groups
      .map((group) => ({
        group,
        topicId: group.lane.topic.id,
        partition: group.lane.partition,
        records: group.chunks.reduce((n, c) => n + c.records, 0),
        frames: group.chunks.map((c) => c.frame),
      }))
      .sort(byPlace);
    try {
      const { rows } = await pool.query<{ answer: (string | null)[] }>({
        ...{ name: 'log_publish', text: 'select log_publish($1, $2, $3, $4, $5, $6, $7) as answer' },
        values: [wait, ...publishArguments(places)],
      });
      const answer = rows[0]?.answer ?? [];
      const stored = places.filter((_place, i) => answer[i] !== null && answer[i] !== '-1');
      if (stored.length > 0)
        this.#needs.onPublished(new Set(stored.map(({ group }) => group.lane.topic.name)));
      places.forEach(({ group }, i) => {
        if (answer[i] === null)
          void this.#write(this.#needs.patientPool, true, [group]).then(() => this.#flush());
        else if (answer[i] === '-1') this.#gone(group);
        else this.#done(group, undefined);
      });
    } catch (cause) {
      for (const { group } of places)
        this.#done(group, unavailable('log.publish', cause, isRetryable(cause)));
    }
  }
  #gone(group: Group): void {
    this.#needs.topics.forget(group.lane.topic.name);
    this.#lanes.delete(`${group.lane.topic.id}/${group.lane.partition}`);
    this.#done(group, unavailable('log.publish: the topic was deleted or made anew'));
  }
}
