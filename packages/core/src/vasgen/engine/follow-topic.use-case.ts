import { err, ok, type Result } from 'neverthrow';
import {
  limitRepeats,
  sleep,
  type BlockedPartitions,
  type Clock,
  type Codec,
  type Logger,
  type LogReader,
  type MessageLog,
  type Position,
  type ReadError,
  type Unavailable,
} from '../../kernel/index.ts';
import { makeApplyRecords, type ApplyRecords, type SchemaBehind } from './apply-records.use-case.ts';
import type { IndexRecord } from './index-record.ts';
import { readPartition } from './read-partition.use-case.ts';
import { rebuildIndex, type RebuildRefused } from './rebuild-index.use-case.ts';
import type { RebuildSource } from './rebuild-source.port.ts';
import type { SchemaSource } from './schema-source.port.ts';
import type { IndexInfo, NoIndex, RebuildMoved, SearchEngine } from './search-engine.port.ts';
import type { IndexName } from './index-name.ts';
import { StoppedPartitions, type StoppedPartition } from './stopped-partitions.ts';

export type IndexFeedNeeds = {
  readonly engine: Pick<SearchEngine, 'indexes' | 'apply' | 'extend' | 'renew' | 'sweep' | 'flush'>;
  readonly index: IndexName;
  readonly log: Pick<MessageLog, 'read' | 'topics'>;
  readonly topic: string;
  readonly codec: Codec<IndexRecord>;
  readonly schemas: SchemaSource;
  /** Asked when the log does not reach back to where the index stands. */
  readonly rebuild: RebuildSource;
  /** Partitions that stand still are reported here, with the index's name as their group. */
  readonly blocked: Pick<BlockedPartitions, 'blocked' | 'freed'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly batchRecords?: number;
};
export type FeedState = {
  readonly applied: number;
  readonly stale: number;
  /** Of another epoch: not this index's business. */
  readonly foreign: number;
  readonly rebuilds: number;
  /** Documents that rebuilds took out because neither scan nor log said them. */
  readonly swept: number;
  readonly stopped: readonly StoppedPartition[];
  readonly caughtUp: boolean;
  /** Everything that was in the topic at this moment is in the index. Undefined until every partition was read to its end. */
  readonly asOfMs: number | undefined;
};
export interface IndexFeed {
  state(): FeedState;
  /** Settles when the index is gone or the feed was stopped; everything else is tried again. */
  readonly ended: Promise<Result<void, NoIndex>>;
  stop(): Promise<void>;
}

const RETRY_MS = 100;
const RETRY_MS_MAX = 5_000;
type Failure = ReadError | Unavailable | NoIndex | SchemaBehind | RebuildMoved | RebuildRefused;

/** Keeps one index up with the index topic: every partition, without a group, from where the index stands. */
class Feed implements IndexFeed {
  readonly ended: Promise<Result<void, NoIndex>>;
  readonly #needs: IndexFeedNeeds;
  readonly #logger: Logger;
  readonly #stopped: StoppedPartitions;
  readonly #stop = new AbortController();
  readonly #counts = { applied: 0, stale: 0, foreign: 0, rebuilds: 0, swept: 0 };
  /** Of each partition: everything that was in it at this moment is applied. */
  #asOfMs = new Map<number, number>();
  #partitions = 0;
  #caughtUp = false;
  #failures = 0;

  constructor(needs: IndexFeedNeeds) {
    this.#needs = needs;
    this.#logger = limitRepeats(needs.logger, needs.clock);
    this.#stopped = new StoppedPartitions(needs.index, { blocked: needs.blocked, logger: this.#logger });
    this.ended = this.#run();
  }

  state(): FeedState {
    const isKnown = this.#partitions > 0 && this.#asOfMs.size === this.#partitions;
    const asOfMs = isKnown ? Math.min(...this.#asOfMs.values()) : undefined;
    return { ...this.#counts, stopped: this.#stopped.list(), caughtUp: this.#caughtUp, asOfMs };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  async #run(): Promise<Result<void, NoIndex>> {
    const { clock, index } = this.#needs;
    let ended: Result<void, NoIndex> = ok(undefined);
    while (!this.#stop.signal.aborted && ended.isOk()) {
      const outcome = await this.#follow();
      if (outcome.isOk()) continue;
      const { error } = outcome;
      if (error.kind === 'UnknownIndex' || error.kind === 'OtherAnalyzer') ended = err(error);
      else {
        this.#logger.warn('index feed failed', { index, error });
        await sleep(clock, Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** this.#failures++), this.#stop.signal);
      }
    }
    this.#stopped.freeAll();
    return ended;
  }

  /** Opens every partition, rebuilds if the log has lost what the index has not seen, then reads until something fails. */
  async #follow(): Promise<Result<void, Failure>> {
    const { engine, schemas, index, log, topic } = this.#needs;
    const infos = await engine.indexes();
    if (infos.isErr()) return err(infos.error);
    const info = infos.value.find(({ name }) => name === index);
    // An index that is not listed: the engine says why.
    if (!info) return (await engine.flush(index)).map(() => undefined);
    const topics = await log.topics();
    if (topics.isErr()) return err(topics.error);
    const partitions = topics.value.find(({ name }) => name === topic)?.partitions;
    if (partitions === undefined) return err({ kind: 'UnknownTopic', topic });
    const applyRecords = makeApplyRecords({ engine, schemas, index, epoch: info.epoch });
    this.#partitions = partitions;
    this.#asOfMs = new Map();
    const readers: LogReader[] = [];
    try {
      let isWhole = true;
      for (let partition = 0; partition < partitions; partition++) {
        const known = info.positions.find((one) => one.topic === topic && one.partition === partition);
        const opened = await this.#open(partition, known);
        if (opened.isErr()) return err(opened.error);
        isWhole &&= opened.value.isWhole;
        readers.push(opened.value.reader);
      }
      const rebuilt = isWhole ? ok(undefined) : await this.#rebuild(info, applyRecords, readers);
      return rebuilt.isErr() ? err(rebuilt.error) : await this.#readAll(info, applyRecords, readers);
    } finally {
      await Promise.all(readers.map((reader) => reader.close()));
    }
  }

  async #open(
    partition: number,
    from: Position | undefined,
  ): Promise<Result<{ readonly reader: LogReader; readonly isWhole: boolean }, Failure>> {
    const { log, topic } = this.#needs;
    if (from) {
      const reader = await log.read(topic, partition, from);
      if (reader.isOk()) return ok({ reader: reader.value, isWhole: true });
      if (reader.error.kind !== 'PositionGone' && reader.error.kind !== 'ForeignPosition')
        return err(reader.error);
    }
    const earliest = await log.read(topic, partition, 'earliest');
    return earliest.map((reader) => ({ reader, isWhole: false }));
  }

  async #rebuild(
    info: IndexInfo,
    applyRecords: ApplyRecords,
    readers: readonly LogReader[],
  ): Promise<Result<void, Failure>> {
    const { engine, rebuild: source, logger, index, topic } = this.#needs;
    this.#counts.rebuilds++;
    this.#caughtUp = false;
    logger.info('index is rebuilt from its source', { index, epoch: info.epoch });
    // All partitions wait for the scan, so it is reported as one of its own.
    const scan = { log: '', topic: `${topic} (rebuild)`, partition: 0, offset: 0 };
    const positions = readers.map((reader) => reader.position());
    const swept = await rebuildIndex({ engine, applyRecords, source }, info, positions, this.#stop.signal);
    if (swept.isOk()) {
      this.#counts.swept += swept.value;
      this.#stopped.free(scan);
    } else if (swept.error.kind === 'RebuildRefused')
      this.#stopped.stop({ position: scan, key: swept.error.pk, reason: swept.error.reason });
    return swept.map(() => undefined);
  }

  async #readAll(
    info: IndexInfo,
    applyRecords: ApplyRecords,
    readers: readonly LogReader[],
  ): Promise<Result<void, Failure>> {
    const { engine, codec, clock, batchRecords = 500 } = this.#needs;
    // One partition that fails ends the round for all: they are opened again together.
    const round = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, round.signal]);
    const drained = new Set<LogReader>();
    const ends = await Promise.all(
      readers.map(async (reader) => {
        const end = await readPartition(reader, {
          engine,
          info,
          applyRecords,
          codec,
          clock,
          batchRecords,
          // A signal of its own: many partitions would add many listeners to one.
          signal: AbortSignal.any([signal]),
          stopped: this.#stopped,
          drained: () => drained.add(reader).size === readers.length && !this.#caughtUp,
          caughtUp: () => void (this.#caughtUp = true),
          asOf: (ms) => void this.#asOfMs.set(reader.position().partition, ms),
          counted: ({ applied, stale, foreign }) => {
            this.#failures = 0;
            this.#counts.applied += applied;
            this.#counts.stale += stale;
            this.#counts.foreign += foreign;
          },
        });
        return end.orTee(() => round.abort());
      }),
    );
    return ends.find((one) => one.isErr()) ?? ok(undefined);
  }
}

export const followTopic = (needs: IndexFeedNeeds): IndexFeed => new Feed(needs);
