import {
  sleep,
  type Clock,
  type Codec,
  type Logger,
  type LogReader,
  type MessageLog,
  type Position,
  type ReadError,
  type Unavailable,
} from '@doska/core/kernel';
import type { IndexChange, IndexName, RebuildSource, SearchEngine, UnknownIndex } from '@doska/core/vasgen';
import { err, ok, type Result } from 'neverthrow';

export type IndexFeedOptions = {
  readonly engine: SearchEngine;
  readonly index: IndexName;
  readonly log: Pick<MessageLog, 'read' | 'topics'>;
  readonly topic: string;
  readonly codec: Codec<IndexChange>;
  /** Asked when the log does not reach back to where the index stands. */
  readonly rebuild: RebuildSource;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly batchRecords?: number;
};
export type FeedState = {
  readonly applied: number;
  readonly stale: number;
  /** Of another epoch: not this index's business. */
  readonly foreign: number;
  /** Records that no change could be read from, and changes that the index refused: skipped and said so. */
  readonly refused: number;
  readonly rebuilds: number;
  readonly caughtUp: boolean;
};
export interface IndexFeed {
  state(): FeedState;
  /** Settles when the index is gone or the feed was stopped; everything else is tried again. */
  readonly ended: Promise<Result<void, UnknownIndex>>;
  stop(): Promise<void>;
}

const WAIT_MS = 1_000;
const RETRY_MS = 100;
const RETRY_MS_MAX = 5_000;
type Reader = { readonly reader: LogReader; drained: boolean };
type Failure = ReadError | Unavailable | UnknownIndex;

/** Keeps one index up with the index topic: every partition, without a group, from where the index stands. */
class Feed implements IndexFeed {
  readonly ended: Promise<Result<void, UnknownIndex>>;
  readonly #options: IndexFeedOptions;
  readonly #stop = new AbortController();
  readonly #counts = { applied: 0, stale: 0, foreign: 0, refused: 0, rebuilds: 0 };
  #epoch = 0;
  #caughtUp = false;
  #failures = 0;

  constructor(options: IndexFeedOptions) {
    this.#options = options;
    this.ended = this.#run();
  }

  state(): FeedState {
    return { ...this.#counts, caughtUp: this.#caughtUp };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  async #run(): Promise<Result<void, UnknownIndex>> {
    const { logger, clock, index } = this.#options;
    while (!this.#stop.signal.aborted) {
      const outcome = await this.#follow();
      if (outcome.isOk()) continue;
      if (outcome.error.kind === 'UnknownIndex') return err(outcome.error);
      logger.warn('index feed failed', { index, error: outcome.error });
      await sleep(clock, Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** this.#failures++), this.#stop.signal);
    }
    return ok(undefined);
  }

  /** Opens every partition, rebuilds if the log has lost what the index has not seen, then reads until something fails. */
  async #follow(): Promise<Result<void, Failure>> {
    const { engine, index, log, topic } = this.#options;
    const infos = await engine.indexes();
    if (infos.isErr()) return err(infos.error);
    const info = infos.value.find(({ name }) => name === index);
    if (!info) return err({ kind: 'UnknownIndex', name: index });
    this.#epoch = info.epoch;
    const topics = await log.topics();
    if (topics.isErr()) return err(topics.error);
    const partitions = topics.value.find(({ name }) => name === topic)?.partitions;
    if (partitions === undefined) return err({ kind: 'UnknownTopic', topic });
    const readers: Reader[] = [];
    try {
      let isWhole = true;
      for (let partition = 0; partition < partitions; partition++) {
        const known = info.positions.find((one) => one.topic === topic && one.partition === partition);
        const opened = await this.#open(partition, known);
        if (opened.isErr()) return err(opened.error);
        isWhole &&= opened.value.isWhole;
        readers.push({ reader: opened.value.reader, drained: false });
      }
      // After the readers: what is accepted during the scan is in the scan or in what they will read.
      const rebuilt = isWhole ? ok(undefined) : await this.#rebuild(readers);
      if (rebuilt.isErr()) return err(rebuilt.error);
      // One partition that fails ends the round for all: they are opened again together.
      const round = new AbortController();
      const signal = AbortSignal.any([this.#stop.signal, round.signal]);
      const ends = await Promise.all(
        readers.map(async (reader) => (await this.#read(reader, readers, signal)).orTee(() => round.abort())),
      );
      return ends.find((one) => one.isErr()) ?? ok(undefined);
    } finally {
      await Promise.all(readers.map(({ reader }) => reader.close()));
    }
  }

  async #open(
    partition: number,
    from: Position | undefined,
  ): Promise<Result<{ readonly reader: LogReader; readonly isWhole: boolean }, Failure>> {
    const { log, topic } = this.#options;
    if (from) {
      const reader = await log.read(topic, partition, from);
      if (reader.isOk()) return ok({ reader: reader.value, isWhole: true });
      if (reader.error.kind !== 'PositionGone' && reader.error.kind !== 'ForeignPosition')
        return err(reader.error);
    }
    const earliest = await log.read(topic, partition, 'earliest');
    return earliest.map((reader) => ({ reader, isWhole: false }));
  }

  async #rebuild(readers: readonly Reader[]): Promise<Result<void, Failure>> {
    const { rebuild, logger, index } = this.#options;
    this.#counts.rebuilds++;
    logger.info('index is rebuilt from its source', { index, epoch: this.#epoch });
    for (let cursor: string | undefined; !this.#stop.signal.aborted;) {
      const page = await rebuild.scan(this.#epoch, cursor);
      if (page.isErr()) return err(page.error);
      const applied = await this.#apply(page.value.changes, []);
      if (applied.isErr()) return err(applied.error);
      cursor = page.value.next;
      // Only now: an index that was half rebuilt when it ended has no positions, and is rebuilt again.
      if (cursor === undefined)
        return this.#apply(
          [],
          readers.map(({ reader }) => reader.position()),
        );
    }
    return ok(undefined);
  }

  async #read(own: Reader, all: readonly Reader[], signal: AbortSignal): Promise<Result<void, Failure>> {
    const { codec, batchRecords = 500, logger } = this.#options;
    while (!signal.aborted) {
      const waitMs = own.drained ? WAIT_MS : 0;
      const records = await own.reader.next({ recordsMax: batchRecords, waitMs, signal });
      if (records.isErr()) return err(records.error);
      const changes: IndexChange[] = [];
      for (const { value, position } of records.value) {
        const change = codec.decode(value);
        if (change.isOk()) changes.push(change.value);
        else {
          this.#counts.refused++;
          logger.error('a record of the index topic can not be read', { position, error: change.error });
        }
      }
      if (records.value.length === 0) own.drained = true;
      const caughtUp = !this.#caughtUp && all.every(({ drained }) => drained);
      if (records.value.length === 0 && !caughtUp) continue;
      const applied = await this.#apply(changes, [own.reader.position()], caughtUp);
      if (applied.isErr()) return err(applied.error);
      this.#failures = 0;
    }
    return ok(undefined);
  }

  async #apply(
    changes: readonly IndexChange[],
    positions: readonly Position[],
    caughtUp = false,
  ): Promise<Result<void, Failure>> {
    const { engine, index, logger } = this.#options;
    const own = changes.filter(({ freshness }) => freshness.epoch === this.#epoch);
    this.#counts.foreign += changes.length - own.length;
    const verdicts = await engine.apply(index, own, { positions, ...(caughtUp ? { caughtUp } : {}) });
    if (verdicts.isErr()) return err(verdicts.error);
    for (const [at, verdict] of verdicts.value.entries()) {
      if (verdict.kind === 'invalid') {
        this.#counts.refused++;
        logger.error('a change that the index refuses', {
          index,
          pk: own[at]?.pk,
          violations: verdict.violations,
        });
      } else this.#counts[verdict.kind]++;
    }
    this.#caughtUp ||= caughtUp;
    return ok(undefined);
  }
}

export const followTopic = (options: IndexFeedOptions): IndexFeed => new Feed(options);
