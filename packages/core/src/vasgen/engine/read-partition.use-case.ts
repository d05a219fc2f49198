import { err, ok, type Result } from 'neverthrow';
import {
  sleep,
  type Clock,
  type Codec,
  type Delivered,
  type LogReader,
  type ReadError,
  type Unavailable,
} from '../../kernel/index.ts';
import type { ApplyRecords, SchemaBehind, TakenRecords } from './apply-records.use-case.ts';
import type { IndexRecord } from './index-record.ts';
import type { FeedProgress, IndexInfo, NoIndex, SearchEngine } from './search-engine.port.ts';
import type { StoppedPartitions } from './stopped-partitions.ts';

/** How often a record that stops its partition is tried again: the schema may have grown. */
const STOPPED_MS = 5_000;
const WAIT_MS = 1_000;

type Failure = ReadError | Unavailable | NoIndex | SchemaBehind;
type Read = Pick<Delivered, 'position' | 'key'> & { readonly record: IndexRecord | undefined };

export type ReadPartitionNeeds = {
  readonly engine: Pick<SearchEngine, 'apply'>;
  readonly info: Pick<IndexInfo, 'name' | 'epoch'>;
  readonly applyRecords: ApplyRecords;
  readonly codec: Codec<IndexRecord>;
  readonly stopped: StoppedPartitions;
  readonly clock: Clock;
  readonly batchRecords: number;
  readonly signal: AbortSignal;
  /** This partition has nothing more for now. True where that is so of all, and is not noted yet. */
  readonly drained: () => boolean;
  /** The index has noted that it has caught up. */
  readonly caughtUp: () => void;
  /** Everything that was in the partition at this moment is applied. */
  readonly asOf: (ms: number) => void;
  readonly counted: (taken: Pick<TakenRecords, 'applied' | 'stale'> & { readonly foreign: number }) => void;
};

/** Applies what is read; undefined: all of it. Otherwise what is before `at` is applied, and `at` is not taken. */
const applyRead = async (
  { info, applyRecords, counted }: ReadPartitionNeeds,
  read: readonly Read[],
  progress: FeedProgress,
): Promise<Result<{ readonly at: number; readonly reason: string } | undefined, Failure>> => {
  const unread = read.findIndex(({ record }) => record === undefined);
  const readable = unread < 0 ? read.length : unread;
  const own: { readonly at: number; readonly record: IndexRecord }[] = [];
  for (const [at, { record }] of read.slice(0, readable).entries())
    if (record?.change.freshness.epoch === info.epoch) own.push({ at, record });
  const taken = await applyRecords(
    own.map(({ record }) => record),
    unread < 0 ? progress : {},
  );
  if (taken.isErr()) return err(taken.error);
  const { applied, stale, refused } = taken.value;
  counted({ applied, stale, foreign: refused ? 0 : readable - own.length });
  if (refused) return ok({ at: own[refused.at]!.at, reason: refused.reason });
  return ok(unread < 0 ? undefined : { at: unread, reason: 'the record can not be read' });
};

/**
 * Reads one partition until the signal or a failure ends it. No record is passed over: one that the index refuses, or
 * that can't be read, holds up those behind it, loudly, and is tried again.
 */
export const readPartition = async (
  reader: LogReader,
  needs: ReadPartitionNeeds,
): Promise<Result<void, Failure>> => {
  const { engine, info, codec, stopped, clock, signal } = needs;
  for (let waitMs = 0; !signal.aborted;) {
    const askedAtMs = clock.nowMs();
    const next = await reader.next({ recordsMax: needs.batchRecords, waitMs, signal });
    if (next.isErr()) return err(next.error);
    waitMs = next.value.length === 0 ? WAIT_MS : waitMs;
    if (next.value.length === 0) needs.asOf(askedAtMs);
    const caughtUp = next.value.length === 0 && needs.drained();
    if (next.value.length === 0 && !caughtUp) continue;
    let rest = next.value.map(({ key, position, value }): Read => ({
      key,
      position,
      record: codec.decode(value).unwrapOr(undefined),
    }));
    while (!signal.aborted) {
      const progress = { positions: [reader.position()], ...(caughtUp ? { caughtUp } : {}) };
      const stop = await applyRead(needs, rest, progress);
      if (stop.isErr()) return err(stop.error);
      if (!stop.value) {
        stopped.free(reader.position());
        const last = next.value.at(-1);
        if (last) needs.asOf(last.timestampMs);
        if (caughtUp) needs.caughtUp();
        break;
      }
      rest = rest.slice(stop.value.at);
      const { position, key } = rest[0]!;
      stopped.stop({ position, key, reason: stop.value.reason });
      const noted = await engine.apply(info.name, [], { positions: [position] });
      if (noted.isErr()) return err(noted.error);
      await sleep(clock, STOPPED_MS, signal);
    }
  }
  return ok(undefined);
};
