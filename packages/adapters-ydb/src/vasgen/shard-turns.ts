/** Runs `work` when no other work of these keys is running or waiting in front of it. */
export type ShardTurns = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>;

/**
 * Commits that add elements to one shard of a queue rewrite one row, so of two at once one is refused and repeats all its
 * work. Within a process they take turns instead. All keys are taken in one step, so no two works wait for each other.
 */
export const makeShardTurns = (): ShardTurns => {
  const last = new Map<string, Promise<void>>();
  return async (keys, work) => {
    const before = keys.flatMap((key) => last.get(key) ?? []);
    let leave = (): void => {};
    const done = new Promise<void>((resolve) => (leave = resolve));
    for (const key of keys) last.set(key, done);
    try {
      await Promise.all(before);
      return await work();
    } finally {
      leave();
      for (const key of keys) if (last.get(key) === done) last.delete(key);
    }
  };
};
