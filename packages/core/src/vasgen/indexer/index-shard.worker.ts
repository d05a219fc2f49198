import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import {
  aborted,
  delayMs,
  limitRepeats,
  retryUntilAborted,
  sleep,
  type Aborted,
  type Backoff,
  type Clock,
  type Codec,
  type HeldLease,
  type LogPublisher,
  type PublishError,
  type PublishOptions,
  type Random,
  type ShardWork,
  type Telemetry,
  type Unavailable,
} from '../../kernel/index.ts';
import type { IndexedDocument } from '../document/indexed-document.ts';
import type { ClientName, RawDocument } from '../document/raw-document.ts';
import { epochOf } from '../epochs/epoch.ts';
import type { UnknownClient } from '../epochs/epoch-store.port.ts';
import type { KnownEpochs } from '../epochs/known-epochs.use-case.ts';
import type { Advance, DocumentQueues, OffsetMoved, QueueReader } from '../queues/document-queues.port.ts';
import type { QueuedDocument, QueueName } from '../queues/queue-element.ts';
import { planBatch, withoutOversize, type BatchPlan } from './plan-batch.ts';
import type { QueueBell } from './queue-bell.ts';

export type IndexerSettings = {
  readonly group: string;
  /** Elements in one batch. */
  readonly batch: number;
  /** The longest pause between two looks at an empty shard; a bell wakes it earlier. */
  readonly idleMs: number;
  /** Elements a second of one shard; undefined: as fast as it goes. */
  readonly rates: Readonly<Record<QueueName, number | undefined>>;
  /** An element that failed so often is parked. */
  readonly attemptsMax: number;
  readonly retry: Backoff;
  /**
   * The topics that a document goes to: the same ones for the same arguments, in every process. Searchers and the archive
   * read `indexTopic(client)`.
   */
  readonly topicsOf: (client: ClientName, epoch: number, pk: string) => readonly string[];
};
export type IndexShardNeeds = {
  readonly queues: Pick<DocumentQueues, 'read' | 'offset' | 'advance'>;
  readonly epochs: KnownEpochs;
  readonly bell: QueueBell;
  readonly log: LogPublisher;
  readonly documents: Codec<RawDocument>;
  readonly records: Codec<IndexedDocument>;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly settings: IndexerSettings;
};

type Failure = PublishError | UnknownClient | Unavailable;

/**
 * Reads one shard of a queue while its lease is held, publishes the documents, then moves the offset together with what
 * could not be converted. The offset moves only after the publish was acknowledged, by compare-and-set: a worker that has
 * lost the shard can at worst publish again, which engines recognise by freshness.
 */
export const makeIndexShard = (needs: IndexShardNeeds, client: ClientName, queue: QueueName): ShardWork => {
  const { queues, epochs, bell, log, clock, random, settings } = needs;
  const { metrics } = needs.telemetry;
  const logger = limitRepeats(needs.telemetry.logger, clock);
  const rate = settings.rates[queue];
  const indexed = metrics.counter({
    name: 'doska_vasgen_indexed_total',
    help: 'Queue elements that an indexer has done, by outcome.',
    labels: ['client', 'queue', 'outcome'],
  });
  const tell = ({ counts, failed, parked, gone }: BatchPlan): void => {
    const all = { ...counts, failed: failed.length, parked: parked.length };
    for (const [outcome, count] of Object.entries(all))
      if (count > 0) indexed.add(count, { client, queue, outcome });
    for (const { pk, epoch, version } of gone)
      logger.error('a queue element has no row: a delete was published', {
        client,
        queue,
        pk,
        epoch,
        version,
      });
    for (const { pk, epoch, failure } of parked)
      logger.error('an element was parked', { client, queue, pk, epoch, reason: failure.reason });
  };

  const planSettings = () => ({
    queue,
    nowMs: clock.nowMs(),
    attemptsMax: settings.attemptsMax,
    retryDelayMs: (attempt: number) => delayMs(settings.retry, attempt, random),
  });
  /**
   * The epochs for these elements. One that is not known is younger than what this process knows, or gone: only the store
   * tells which.
   */
  const epochsFor = (elements: readonly QueuedDocument[]): ReturnType<KnownEpochs['get']> =>
    epochs
      .get(client)
      .andThen((known) =>
        elements.every(({ element }) => epochOf(known, element.epoch)) ? ok(known) : epochs.reload(client),
      );
  const plan = (reader: QueueReader, after: number): ResultAsync<BatchPlan, Failure> =>
    queues.read(reader, after, settings.batch).andThen((elements) =>
      epochsFor(elements).map((known) =>
        planBatch(elements, {
          ...planSettings(),
          topicsOf: (epoch, pk) => settings.topicsOf(client, epoch, pk),
          isLiving: (epoch) => epochOf(known, epoch) !== undefined,
          documents: needs.documents,
          records: needs.records,
        }),
      ),
    );
  /** Returns the plan as it was published: elements whose records are too large have failed. */
  const publish = (planned: BatchPlan, options: PublishOptions): ResultAsync<BatchPlan, Failure> => {
    if (planned.records.length === 0) return okAsync(planned);
    return log
      .publish(planned.records, options)
      .map(() => planned)
      .orElse((error) =>
        error.kind === 'RecordsTooLarge'
          ? publish(
              withoutOversize(planned, new Set(error.records.map(({ index }) => index)), planSettings()),
              options,
            )
          : err(error),
      );
  };
  /** Undefined: done. After a lost answer the offset may stand where this call wanted it. */
  const advance = (reader: QueueReader, to: Advance): ResultAsync<OffsetMoved | undefined, Failure> =>
    queues
      .advance(reader, to)
      .map(() => undefined)
      .orElse((error) => {
        if (error.kind !== 'OffsetMoved') return err(error);
        return ok(error.actual === to.to ? undefined : error);
      });

  return async ({ shard, token, isHeld }: HeldLease, signal) => {
    const reader: QueueReader = { client, queue, shard, group: settings.group };
    const untilDone = <T>(what: string, work: () => ResultAsync<T, Failure>): Promise<Result<T, Aborted>> =>
      retryUntilAborted(work, {
        clock,
        random,
        policy: settings.retry,
        signal,
        onFailure: async (error, attempt) => {
          // Another worker has the shard: the lease will abort the signal.
          if (error.kind === 'Fenced') await aborted(signal);
          else logger.warn(`index: ${what} failed`, { client, queue, shard, attempt, error });
        },
      });
    const fenceAt = (sequence: number) => ({
      resource: `vasgen-index/${client}/${queue}/${shard}`,
      token,
      sequence,
    });
    if (log.promises.fences) {
      const fenced = await untilDone('fence', () => log.publish([], { fence: fenceAt(1) }));
      if (fenced.isErr()) return;
    }
    let offset: number | undefined;
    /** Only the store knows where the group stands: at the start, and when another worker has moved the offset. */
    const reload = async (): Promise<boolean> => {
      const stored = await untilDone('offset', () => queues.offset(reader));
      if (stored.isOk()) offset = stored.value;
      return stored.isOk();
    };
    if (!(await reload())) return;
    for (let sequence = 2; !signal.aborted;) {
      const startedMs = clock.nowMs();
      const news = AbortSignal.any([signal, bell.wait(client, queue, shard)]);
      const planned = await untilDone('read', () => plan(reader, offset ?? 0));
      if (planned.isErr()) return;
      const { to, retryAtMs = Infinity } = planned.value;
      if (to === undefined) {
        await sleep(clock, Math.max(1, Math.min(settings.idleMs, retryAtMs - clock.nowMs())), news);
        continue;
      }
      const fence = fenceAt(sequence++);
      const published = await untilDone('publish', () => publish(planned.value, { fence, isHeld }));
      if (published.isErr()) return;
      const { failed, parked, records } = published.value;
      const moved = await untilDone('advance', () => advance(reader, { from: offset, to, failed, parked }));
      if (moved.isErr()) return;
      if (moved.value === undefined) {
        offset = to;
        tell(published.value);
      } else {
        logger.error('another worker has moved the offset of this shard', {
          client,
          queue,
          shard,
          ...moved.value,
        });
        if (!(await reload())) return;
      }
      const paceMs = rate === undefined ? 0 : (1_000 * records.length) / rate;
      const restMs = paceMs - (clock.nowMs() - startedMs);
      if (restMs > 0) await sleep(clock, restMs, signal);
    }
  };
};
