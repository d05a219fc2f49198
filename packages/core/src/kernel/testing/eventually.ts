import { setTimeout as realSleep } from 'node:timers/promises';

/** Waits until `check` no longer throws; gives up with its last complaint. For suites on real backends, where things take their time. */
export const eventually = async <T>(
  check: () => T | Promise<T>,
  { withinMs = 15_000, everyMs = 20 } = {},
): Promise<T> => {
  for (const untilMs = Date.now() + withinMs; ;) {
    try {
      return await check();
    } catch (complaint) {
      if (Date.now() >= untilMs) throw complaint;
      await realSleep(everyMs);
    }
  }
};
