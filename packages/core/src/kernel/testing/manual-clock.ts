import type { Clock } from '../ports/clock.port.ts';

export type ManualClock = {
  readonly clock: Clock;
  /** Passes `ms`: runs every timer due by then, in order, each after the promises before it have settled. */
  readonly advance: (ms: number) => Promise<void>;
  readonly nowMs: () => number;
  /** Timers that are set and neither fired nor cancelled: a component that stopped has none. */
  readonly pending: () => number;
};

type Timer = { readonly atMs: number; readonly work: () => void };

const { nextTick } = process;
/** A tick queued by a microtask runs when no microtask is left, however long their chains are. */
const settle = (): Promise<void> =>
  new Promise((resolve) => void Promise.resolve().then(() => nextTick(resolve)));

/** Time for unit tests: stands still until the test moves it. */
export const manualClock = (startMs = 0): ManualClock => {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  /** A set keeps the order in which timers were set, so of equals the oldest is first. */
  const nextDue = (byMs: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.atMs <= byMs && (next === undefined || timer.atMs < next.atMs)) next = timer;
    }
    return next;
  };
  return {
    clock: {
      nowMs: () => nowMs,
      after: (ms, work) => {
        const timer = { atMs: nowMs + Math.max(0, ms), work };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
    advance: async (ms) => {
      const untilMs = nowMs + ms;
      await settle();
      for (let due = nextDue(untilMs); due; due = nextDue(untilMs)) {
        timers.delete(due);
        nowMs = Math.max(nowMs, due.atMs);
        due.work();
        await settle();
      }
      nowMs = untilMs;
    },
    nowMs: () => nowMs,
    pending: () => timers.size,
  };
};
