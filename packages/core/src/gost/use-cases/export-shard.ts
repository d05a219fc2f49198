import type { ResultAsync } from 'neverthrow';
import {
  aborted,
  delayMs,
  sleep,
  type Backoff,
  type Clock,
  type Logger,
  type LogPublisher,
  type PublishError,
  type Random,
  type ShardWork,
} from '../../kernel/index.ts';
import type { ExportQueue, QueuedRecord } from '../ports/export-queue.port.ts';

export type ExportShardNeeds = {
  readonly queue: ExportQueue;
  readonly log: LogPublisher;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings?: Partial<ExportSettings>;
  /** For metrics: after every look at the queue, `oldestAtUs` is undefined when it was empty. */
  readonly onRead?: (read: { readonly shard: number; readonly oldestAtUs: number | undefined }) => void;
  readonly onExported?: (records: readonly QueuedRecord[]) => void;
};
export type ExportSettings = {
  /** Published, and then deleted, together. */
  readonly batch: number;
  /**
   * How many batches one look at the queue may bring, as far as `aheadBytes` hold them: looks are dear while somebody holds an
   * old snapshot.
   */
  readonly readAhead: number;
  readonly aheadBytes: number;
  /** How long an empty queue is left alone. */
  readonly idleMs: number;
  readonly retry: Backoff;
};
export const defaultExportSettings: ExportSettings = {
  batch: 500,
  readAhead: 4,
  aheadBytes: 8 << 20,
  idleMs: 50,
  retry: { firstMs: 50, factor: 2, maxMs: 5_000, jitter: 0.3 },
};

/** The longest beginning that holds no key twice: what is published together must not depend on its order. */
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

/** How many the next look may bring, if they are as large as the last ones. */
const lookAhead = (
  last: readonly QueuedRecord[],
  { batch, readAhead, aheadBytes }: ExportSettings,
): number => {
  const bytes = last.reduce((sum, { value }) => sum + value.length, 0);
  const fit = bytes === 0 ? batch : Math.floor((aheadBytes * last.length) / bytes);
  return Math.min(Math.max(batch, fit), batch * readAhead);
};

/**
 * Work on one shard of the queue while its lease is held: read from the oldest, publish, delete exactly what was
 * published. No step is left before it has succeeded, so that changes of an offer keep their order; a publish without
 * an answer is sent again under the same sequence, which a log that fences knows. Whoever lost the shard can at worst
 * repeat what he had read.
 */
export const makeExportShard = (needs: ExportShardNeeds): ShardWork => {
  const { queue, log, clock, random, logger } = needs;
  const settings = { ...defaultExportSettings, ...needs.settings };

  return async ({ shard, token }, signal) => {
    /** Until it succeeds; false when it is over: the shard is somebody else's, or goes to somebody else. */
    const surely = async (what: string, work: () => ResultAsync<void, PublishError>): Promise<boolean> => {
      for (let attempt = 1; ; attempt++) {
        const outcome = await work();
        if (outcome.isOk()) return true;
        if (outcome.error.kind === 'Fenced') await aborted(signal); // somebody else has the shard; our lease will hear of it
        if (signal.aborted) return false;
        logger.warn(`export: ${what} failed`, { shard, attempt, error: outcome.error });
        await sleep(clock, delayMs(settings.retry, attempt, random), signal);
        if (signal.aborted) return false;
      }
    };
    const fenceAt = (sequence: number) => ({ resource: `gost-export/${shard}`, token, sequence });
    // Before the first look: what the owner before us still publishes after it would be newer than what we have read.
    if (log.promises.fences && !(await surely('fence', () => log.publish([], { fence: fenceAt(1) })))) return;
    for (let [sequence, limit] = [2, settings.batch]; !signal.aborted;) {
      const read = await queue.read(shard, limit);
      let ahead = read.unwrapOr([]);
      limit = lookAhead(ahead, settings);
      if (read.isErr()) logger.warn('export: read failed', { shard, error: read.error });
      else needs.onRead?.({ shard, oldestAtUs: ahead[0]?.atUs });
      if (ahead.length === 0) await sleep(clock, settings.idleMs, signal);
      // As of one moment: what is committed meanwhile is newer than all of its offer that was read.
      while (ahead.length > 0) {
        if (signal.aborted) return;
        const batch = distinctPrefix(ahead.slice(0, settings.batch));
        const fence = fenceAt(sequence++);
        const records = batch.map(({ topic, key, value }) => ({ topic, key, value }));
        if (!(await surely('publish', () => log.publish(records, { fence })))) return;
        const keys = batch.map(({ atUs, topic, key, id }) => ({ shard, atUs, topic, key, id }));
        if (!(await surely('delete', () => queue.delete(keys)))) return;
        needs.onExported?.(batch);
        ahead = ahead.slice(batch.length);
      }
    }
  };
};
