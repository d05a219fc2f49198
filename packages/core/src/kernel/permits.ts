/** At most `limit` works of one kind run at a time. The others wait in the order in which they came. */
export type Permits = <T>(work: () => PromiseLike<T>) => Promise<T>;

export const makePermits = (limit: number): Permits => {
  let free = limit;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      release();
    }
  };
};
