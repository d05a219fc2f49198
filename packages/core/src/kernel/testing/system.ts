import { randomInt, randomUUID } from 'node:crypto';
import type { Clock } from '../ports/clock.port.ts';
import type { Ids } from '../ports/ids.port.ts';
import type { Random } from '../ports/random.port.ts';

/** Real time and chance, for suites that run against real backends. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
export const realIds: Ids = { next: () => randomUUID() };
export const realRandom: Random = { below: (n) => randomInt(n) };
