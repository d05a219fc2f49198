import { err, ok, type Result } from 'neverthrow';
import type { PartitionRecords, PublishError } from '@doska/core/kernel';
import { placeOf, type Place } from './flush.ts';
import type { PgTopic } from './topics.ts';

export type Answer = Result<void, PublishError>;
/** One caller. It gets its answer, or the first error, when all its chunks are done. */
type Call = { open: number; failed: PublishError | undefined; readonly settle: (answer: Answer) => void };
/** The records of one caller for one partition. */
type Chunk = { readonly call: Call; readonly frame: Buffer; readonly records: number };
type Lane = {
  readonly topic: PgTopic;
  readonly partition: number;
  chunks: Chunk[];
  /** A flush is writing to the partition. */
  busy: boolean;
};
/** The part of a flush that goes to one partition, and the callers that wait for it. */
export type Group = Place & { readonly lane: Lane; readonly chunks: readonly Chunk[] };

const groupOf = (lane: Lane, chunks: readonly Chunk[]): Group => {
  let records = 0;
  for (const chunk of chunks) records += chunk.records;
  const { topic, partition } = lane;
  return { lane, chunks, topic, partition, records, frames: chunks.map(({ frame }) => frame) };
};

export type FlushLimits = { readonly recordsMax: number; readonly bytesMax: number };

/** Records that wait to be published: one queue for each partition. At most one flush at a time writes to a partition. */
export class PublishQueue {
  readonly #limits: FlushLimits;
  readonly #lanes = new Map<number, Lane[]>();
  /** Partitions with waiting records that no flush is writing to. */
  readonly #ready = new Set<Lane>();
  #bytes = 0;

  constructor(limits: FlushLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }
  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  add(admitted: readonly PartitionRecords<PgTopic>[]): Promise<Answer> {
    return new Promise((settle) => {
      const call: Call = { open: admitted.length, failed: undefined, settle };
      for (const each of admitted) {
        const lane = this.#lane(each.topic, each.partition);
        const frame = placeOf(each).frames[0]!;
        this.#bytes += frame.length;
        lane.chunks.push({ call, frame, records: each.records.length });
        if (!lane.busy) this.#ready.add(lane);
      }
    });
  }
  /** Takes records of every partition that no flush is writing to, within the limits, but at least one chunk. */
  take(): Group[] {
    const groups: Group[] = [];
    let records = 0;
    let bytes = 0;
    for (const lane of this.#ready) {
      let taken = 0;
      for (const chunk of lane.chunks) {
        const fits =
          records + chunk.records <= this.#limits.recordsMax &&
          bytes + chunk.frame.length <= this.#limits.bytesMax;
        if (!fits && records > 0) break;
        records += chunk.records;
        bytes += chunk.frame.length;
        taken++;
      }
      if (taken === 0) break;
      lane.busy = true;
      this.#ready.delete(lane);
      groups.push(groupOf(lane, lane.chunks.splice(0, taken)));
    }
    this.#bytes -= bytes;
    return groups;
  }
  done({ lane, chunks }: Group, failure: PublishError | undefined): void {
    lane.busy = false;
    if (lane.chunks.length > 0) this.#ready.add(lane);
    for (const { call } of chunks) {
      call.failed ??= failure;
      if (--call.open === 0) call.settle(call.failed ? err(call.failed) : ok(undefined));
    }
  }
  /** The topic is deleted: its queues are removed once their callers have an answer. */
  forget({ topic }: Group): void {
    this.#lanes.delete(topic.id);
  }

  #lane(topic: PgTopic, partition: number): Lane {
    let lanes = this.#lanes.get(topic.id);
    if (!lanes) this.#lanes.set(topic.id, (lanes = []));
    return (lanes[partition] ??= { topic, partition, chunks: [], busy: false });
  }
}
