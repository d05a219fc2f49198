import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import {
  aborted,
  limitRepeats,
  retryUntilAborted,
  shardGauge,
  sleep,
  type Aborted,
  type Clock,
  type HeldLease,
  type LogPublisher,
  type PublishError,
  type PublishOptions,
  type Random,
  type ShardGauge,
  type ShardWork,
  type Telemetry,
} from '../../kernel/index.ts';
import type { ExportSettings } from '../settings.ts';
import type { ExportBell } from './export-bell.ts';
import type { ExportQueue, QueuedRecord } from './export-queue.port.ts';

export type ExportShardNeeds = {
  readonly queue: ExportQueue;
  readonly bell: ExportBell;
  readonly log: LogPublisher;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly settings: ExportSettings;
};

/** The longest prefix that holds no key twice: records that are published together may arrive in any order. */
export const distinctPrefix = (records: readonly QueuedRecord[]): readonly QueuedRecord[] => {
  const seen = new Set<string>();
  const end = records.findIndex(({ topic, key }) => {
    const name = JSON.stringify([topic, key]);
    if (seen.has(name)) return true;
    seen.add(name);
    return false;
  });
  return end < 0 ? records : records.slice(0, end);
};

/** How many records the next read may bring, if they are as large as the last ones. */
const lookAhead = (
  last: readonly QueuedRecord[],
  { batch, readAhead, aheadBytes }: ExportSettings,
): number => {
  const bytes = last.reduce((sum, { value }) => sum + value.length, 0);
  const fit = bytes === 0 ? batch : Math.floor((aheadBytes * last.length) / bytes);
  return Math.min(Math.max(batch, fit), batch * readAhead);
};

type QueueAge = {
  /** The time of the oldest record in the queue. Undefined: the queue is empty. */
  readonly since: (oldestAtUs: number | undefined) => void;
  /** The queue cannot be read. The age of a known record goes on growing; without one there is no value. */
  readonly unknown: () => void;
  readonly remove: () => void;
};
/** The age of the oldest record, measured each time the metrics are read, because a publish may hang. */
const queueAge = ({ set, remove }: ShardGauge, clock: Clock): QueueAge => {
  let known: number | undefined;
  return {
    since: (oldestAtUs) => {
      known = oldestAtUs;
      set(() => (oldestAtUs === undefined ? 0 : Math.max(0, clock.nowMs() / 1_000 - oldestAtUs / 1e6)));
    },
    unknown: () => (known === undefined ? remove() : undefined),
    remove,
  };
};

/**
 * Exports one shard of the queue while its lease is held: reads from the oldest record, publishes, and deletes exactly what
 * it published. Each step is repeated until it succeeds, so changes of an offer keep their order. A publish without an answer
 * is repeated under the same sequence, which a fencing log recognises. A worker that has lost the shard can at worst repeat
 * what it had read. A record that the log refuses as too large is parked, and the next ones go on. A log that does not fence is not given records after the lease's deadline.
 */
export const makeExportShard = (needs: ExportShardNeeds): ShardWork => {
  const { queue, bell, log, clock, random, settings } = needs;
  const { metrics } = needs.telemetry;
  const logger = limitRepeats(needs.telemetry.logger, clock);
  const exported = metrics.counter({
    name: 'doska_gost_exported_total',
    help: 'Records that left the export queue.',
    labels: ['topic'],
  });
  const oldest = metrics.gauge({
    name: 'doska_gost_oldest_unexported_seconds',
    help: 'Age of the oldest change that is not exported yet.',
    labels: ['shard'],
  });

  const parkedTotal = metrics.counter({
    name: 'doska_gost_parked_total',
    help: 'Records that no topic can hold. They left the export queue and are kept apart.',
    labels: ['topic'],
  });
  const tellParked = ({ topic, key, atUs, value }: QueuedRecord): void => {
    parkedTotal.add(1, { topic });
    needs.telemetry.logger.error('a record is too large for its topic and was parked', {
      topic,
      key,
      atUs,
      bytes: value.length,
    });
  };
  /** Returns the places of records that are too large for their topic. Then the others must be sent again. */
  const publish = (
    batch: readonly QueuedRecord[],
    options: PublishOptions,
  ): ResultAsync<ReadonlySet<number>, PublishError> =>
    log
      .publish(
        batch.map(({ topic, key, value }) => ({ topic, key, value })),
        options,
      )
      .map((): ReadonlySet<number> => new Set())
      .orElse((error) =>
        error.kind === 'RecordsTooLarge' ? ok(new Set(error.records.map(({ index }) => index))) : err(error),
      );

  const exportShard = async (
    { shard, token, isHeld }: HeldLease,
    signal: AbortSignal,
    age: QueueAge,
  ): Promise<void> => {
    /** Repeats the step until it succeeds, or until the shard is lost or the work must stop. */
    const untilDone = <T>(
      what: string,
      work: () => ResultAsync<T, PublishError>,
    ): Promise<Result<T, Aborted>> =>
      retryUntilAborted(work, {
        clock,
        random,
        policy: settings.retry,
        signal,
        onFailure: async (error, attempt) => {
          // Another worker has the shard: the lease will abort the signal.
          if (error.kind === 'Fenced') await aborted(signal);
          else logger.warn(`export: ${what} failed`, { shard, attempt, error });
        },
      });
    const fenceAt = (sequence: number) => ({ resource: `gost-export/${shard}`, token, sequence });
    // Raise the fence before the first read: a late publish of the previous owner would be newer than what we read.
    if (log.promises.fences) {
      const fenced = await untilDone('fence', () => log.publish([], { fence: fenceAt(1) }));
      if (fenced.isErr()) return;
    }
    signal.addEventListener('abort', () => bell.ring([shard]), { once: true });
    let readyAtMs = 0;
    for (let sequence = 2, limit = settings.batch; !signal.aborted;) {
      const news = bell.wait(shard);
      const read = await untilDone('read', () => queue.read(shard, limit).orTee(age.unknown));
      if (read.isErr()) return;
      let ahead = read.value;
      limit = lookAhead(ahead, settings);
      age.since(ahead[0]?.atUs);
      if (ahead.length === 0) {
        // After a quiet time a record leaves at once. Otherwise records are gathered: small batches cost more.
        const restMs = Math.min(settings.idleMs, readyAtMs - clock.nowMs());
        await (restMs > 0 ? sleep(clock, restMs, signal) : sleep(clock, settings.idleMs, news));
      } else readyAtMs = clock.nowMs() + settings.idleMs;
      // All records of one read are as of one moment: a later change of an offer is newer than all of them.
      while (ahead.length > 0) {
        if (signal.aborted) return;
        // Not after the last batch: only a read can say that the queue is empty.
        age.since(ahead[0]?.atUs);
        const batch = distinctPrefix(ahead.slice(0, settings.batch));
        const fence = fenceAt(sequence++);
        const oversize = await untilDone('publish', () => publish(batch, { fence, isHeld }));
        if (oversize.isErr()) return;
        if (oversize.value.size > 0) {
          // The rest is sent again without these.
          const refused = batch.filter((_record, index) => oversize.value.has(index));
          if ((await untilDone('park', () => queue.park(refused, 'too large for the topic'))).isErr()) return;
          refused.forEach(tellParked);
          ahead = ahead.filter((record) => !refused.includes(record));
          continue;
        }
        const keys = batch.map(({ atUs, topic, key, id }) => ({ shard, atUs, topic, key, id }));
        const deleted = await untilDone('delete', () => queue.delete(keys));
        if (deleted.isErr()) return;
        for (const { topic } of batch) exported.add(1, { topic });
        ahead = ahead.slice(batch.length);
      }
    }
  };
  return async (lease, signal, lost) => {
    const age = queueAge(shardGauge(oldest, lease, lost), clock);
    await exportShard(lease, signal, age).finally(age.remove);
  };
};
