import { err, errAsync, ResultAsync, type Result } from 'neverthrow';
import { unavailable, type Unavailable } from './errors.ts';
import type { Cancel, Clock } from './ports/clock.port.ts';

export type BatcherOptions<T, R, E> = {
  /** Names the batcher in errors. */
  readonly name: string;
  readonly clock: Clock;
  /**
   * Returns one outcome for each item in the same order, or one failure for all items. If it throws or returns another
   * number of outcomes, every caller of the batch gets `Unavailable` and the batcher continues.
   */
  readonly flush: (batch: readonly T[]) => ResultAsync<readonly Result<R, E>[], E>;
  readonly countMax: number;
  /** Needs `bytesOf`. An item above this limit is flushed alone. */
  readonly bytesMax?: number;
  readonly bytesOf?: (item: T) => number;
  /**
   * How long the first item of a batch waits for more items. With 0 there is no timer: items added in the same tick, or
   * while flushes are running, still share a batch.
   */
  readonly lingerMs: number;
  /** The most items that may wait for a flush. More are refused with `Unavailable`. */
  readonly waitingMax: number;
  readonly flushesMax?: number;
  /**
   * The batcher is busy while a flush runs, and for `forMs` after a flush of at least `fromCount` items started. While it is
   * busy, a batch of fewer than `countMin` items waits up to `waitMs` for more, because many small flushes are slower. When
   * it is not busy, no batch waits.
   */
  readonly busy?: {
    readonly fromCount: number;
    readonly forMs: number;
    readonly countMin: number;
    readonly waitMs: number;
  };
};

export type Batcher<T, R, E> = {
  /** Resolves with the outcome of this item. Items are flushed in the order of `add`. */
  readonly add: (item: T) => ResultAsync<R, E | Unavailable>;
  /** Flushes the waiting items and resolves when no flush is running. Later items are refused. */
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
  /** `no`: has not started to wait. `yes`: waits for more items. `over`: has waited long enough. */
  waits: 'no' | 'yes' | 'over';
};

/** Collects items of many callers into batches. A batch is flushed by count, by bytes or after `lingerMs`, whichever is first. */
export const makeBatcher = <T, R, E>(options: BatcherOptions<T, R, E>): Batcher<T, R, E> => {
  const { name, clock, flush, countMax, lingerMs, waitingMax } = options;
  const { bytesMax = Infinity, bytesOf = () => 0, flushesMax = 1, busy } = options;
  const empty = (): Batch<T, R, E> => ({ entries: [], bytes: 0, due: false, waits: 'no' });

  /** Full batches in order. `forming` comes after them and grows while no flush can start. */
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

  /** A timer of 0 ms would fire a millisecond later, so a microtask is used. If the batch was sealed before it runs, the next batch is due a little early. */
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
