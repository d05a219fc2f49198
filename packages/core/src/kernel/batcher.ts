import { err, errAsync, ResultAsync, type Result } from 'neverthrow';
import { unavailable, type Unavailable } from './errors.ts';
import type { Cancel, Clock } from './ports/clock.port.ts';

export type BatcherOptions<T, R, E> = {
  /** Names the batcher in errors. */
  readonly name: string;
  readonly clock: Clock;
  /**
   * One outcome for every item, in the order of the items; or one failure for all of them. If it throws or answers
   * for another number of items, every caller of the batch gets `Unavailable`, and the batcher lives on.
   */
  readonly flush: (batch: readonly T[]) => ResultAsync<readonly Result<R, E>[], E>;
  readonly countMax: number;
  /** Needs `bytesOf`. An item above the bound travels alone. */
  readonly bytesMax?: number;
  readonly bytesOf?: (item: T) => number;
  /**
   * How long the first item of a batch waits for company. With 0 it waits for nobody's clock: callers that the same
   * answer has woken travel together, and so do those who come while flushes are under way.
   */
  readonly lingerMs: number;
  /** Items that wait for a flush to begin; more are refused as `Unavailable`. */
  readonly waitingMax: number;
  readonly flushesMax?: number;
  /**
   * It is busy while a flush is under way, and for `forMs` after one of at least `fromCount` items has begun. A batch of fewer
   * than `countMin` items then waits `waitMs` for more: small flushes cost more than they gain. When it is not busy, nobody
   * waits.
   */
  readonly busy?: {
    readonly fromCount: number;
    readonly forMs: number;
    readonly countMin: number;
    readonly waitMs: number;
  };
};

export type Batcher<T, R, E> = {
  /** The outcome of this very item. Items are flushed in the order of their `add`. */
  readonly add: (item: T) => ResultAsync<R, E | Unavailable>;
  /** Flushes what waits, and resolves when nothing is under way. Later items are refused. */
  readonly close: () => Promise<void>;
  readonly waiting: () => number;
};

type Entry<T, R, E> = {
  readonly item: T;
  readonly settle: (outcome: Result<R, E | Unavailable>) => void;
};
type Batch<T, R, E> = {
  readonly entries: Entry<T, R, E>[];
  bytes: number;
  due: boolean;
  /** Whether it waits for its turn: not yet, since it was due, long enough. */
  waits: 'no' | 'yes' | 'over';
};

/** Gathers items of many callers into batches: full by count, full by bytes, or `lingerMs` old, whichever is first. */
export const makeBatcher = <T, R, E>(options: BatcherOptions<T, R, E>): Batcher<T, R, E> => {
  const { name, clock, flush, countMax, lingerMs, waitingMax } = options;
  const { bytesMax = Infinity, bytesOf = () => 0, flushesMax = 1, busy } = options;
  const empty = (): Batch<T, R, E> => ({ entries: [], bytes: 0, due: false, waits: 'no' });

  /** Full ones, in order; `forming` comes after them, and grows on while no flush may begin. */
  const full: Batch<T, R, E>[] = [];
  let forming = empty();
  let cancelLinger: Cancel = () => {};
  let waiting = 0;
  let flushing = 0;
  let last = { count: 0, atMs: -Infinity };
  let closed = false;
  let onIdle: (() => void)[] = [];

  const seal = (): void => {
    cancelLinger();
    full.push(forming);
    forming = empty();
  };

  const outcomesOf = async (batch: Batch<T, R, E>): Promise<readonly Result<R, E | Unavailable>[]> => {
    const { entries } = batch;
    const all = (error: E | Unavailable): Result<R, E | Unavailable>[] => entries.map(() => err(error));
    try {
      const answer = await flush(entries.map(({ item }) => item));
      if (answer.isErr()) return all(answer.error);
      if (answer.value.length === entries.length) return answer.value;
      return all(unavailable(`${name}: ${answer.value.length} outcomes for ${entries.length} items`));
    } catch (thrown) {
      return all(unavailable(`${name}: flush threw`, thrown));
    }
  };

  const begin = (batch: Batch<T, R, E>): void => {
    flushing++;
    last = { count: batch.entries.length, atMs: clock.nowMs() };
    waiting -= batch.entries.length;
    void outcomesOf(batch).then((outcomes) => {
      flushing--;
      batch.entries.forEach(({ settle }, i) => settle(outcomes[i]!));
      pump();
    });
  };

  const isEarly = (): boolean => {
    const batch = forming;
    const { length } = batch.entries;
    if (!busy || closed || batch.waits === 'over' || length >= busy.countMin) return false;
    const isBusy = last.count >= busy.fromCount && clock.nowMs() - last.atMs <= busy.forMs;
    if (flushing === 0 && !isBusy) return false;
    if (batch.waits === 'no') {
      batch.waits = 'yes';
      cancelLinger = clock.after(busy.waitMs, () => {
        batch.waits = 'over';
        pump();
      });
    }
    return true;
  };

  const pump = (): void => {
    while (flushing < flushesMax) {
      if (full.length === 0 && forming.due && !isEarly()) seal();
      const batch = full.shift();
      if (!batch) break;
      begin(batch);
    }
    if (flushing > 0 || waiting > 0) return;
    const idle = onIdle;
    onIdle = [];
    for (const tell of idle) tell();
  };

  const makeDue = (): void => {
    forming.due = forming.entries.length > 0;
    pump();
  };

  /** A timer of 0 would fire a millisecond later. What was sealed meanwhile makes the next batch due a little early. */
  const lingering = (): Cancel => {
    if (lingerMs > 0) return clock.after(lingerMs, makeDue);
    queueMicrotask(makeDue);
    return () => {};
  };

  const accept = (entry: Entry<T, R, E>): void => {
    const bytes = bytesOf(entry.item);
    if (forming.entries.length > 0 && forming.bytes + bytes > bytesMax) seal();
    if (forming.entries.length === 0) cancelLinger = lingering();
    forming.entries.push(entry);
    forming.bytes += bytes;
    waiting++;
    if (forming.entries.length >= countMax || forming.bytes >= bytesMax) seal();
    pump();
  };

  return {
    add: (item) => {
      if (closed) return errAsync(unavailable(`${name} is closed`, undefined, false));
      if (waiting >= waitingMax) return errAsync(unavailable(`${name}: ${waiting} items wait`));
      return new ResultAsync(new Promise((settle) => accept({ item, settle })));
    },
    close: () =>
      new Promise((resolve) => {
        closed = true;
        onIdle.push(resolve);
        makeDue();
      }),
    waiting: () => waiting,
  };
};
