import { randomInt, randomUUID } from 'node:crypto';

export const realClock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
export const realIds = { next: () => randomUUID() };
export const realRandom = { below: (n) => randomInt(n) };
