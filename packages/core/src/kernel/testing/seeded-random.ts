import type { Random } from '../ports/random.port.ts';

export type SeededRandom = Random & {
  /** True with probability `p`. */
  chance(p: number): boolean;
};

/** The same stream for the same seed on every machine: 32-bit integer arithmetic only. Not for secrets. */
export const seededRandom = (seed: number): SeededRandom => {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  return { below: (n) => next() % n, chance: (p) => next() < p * 0x1_0000_0000 };
};
