/** Runs work, so much at a time and no more; who comes later waits in line. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/** Shared by a whole process: a picture needs many times the memory of its file. */
export const makeSlots = (max: number): Slots => {
  const line: (() => void)[] = [];
  let free = max;
  const enter = (): Promise<void> => {
    if (free === 0) return new Promise((resolve) => line.push(resolve));
    free -= 1;
    return Promise.resolve();
  };
  /** A slot goes to the next in line without becoming free, so the order is kept. */
  const leave = (): void => {
    const next = line.shift();
    if (next) next();
    else free += 1;
  };
  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
};
