/** How many calls run at once. */
export type InFlight = {
  /** Returns false if there is no room. Call `leave()` exactly once per successful `enter()`. */
  enter(): boolean;
  leave(): void;
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
    enter: () => {
      if (running >= callsMax) return false;
      move(1);
      return true;
    },
    leave: () => move(-1),
    count: () => running,
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
};
