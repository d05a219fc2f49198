/** How many calls run at once. */
export type InFlight = {
  /** Undefined when there is no room. */
  run<T>(work: () => Promise<T>): Promise<T> | undefined;
  count(): number;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
};

export const inFlight = (callsMax: number, changed: (count: number) => void): InFlight => {
  let running = 0;
  let waiting: (() => void)[] = [];
  const move = (by: 1 | -1): void => {
    running += by;
    changed(running);
    if (running > 0) return;
    waiting.forEach((wake) => wake());
    waiting = [];
  };
  return {
    run: (work) => {
      if (running >= callsMax) return undefined;
      move(1);
      return work().finally(() => move(-1));
    },
    count: () => running,
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
};
