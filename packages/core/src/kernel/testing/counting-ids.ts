import type { Ids } from '../ports/ids.port.ts';

/** `prefix-1`, `prefix-2`, …: ids a test can write down beforehand. */
export const countingIds = (prefix = 'id'): Ids => {
  let count = 0;
  return { next: () => `${prefix}-${++count}` };
};
