/** A middle value and how far the rounds lay apart. */
export type Spread = { readonly median: number; readonly min: number; readonly max: number };

export const spread = (values: readonly number[]): Spread => {
  if (values.length === 0) throw new Error('no values: a benchmark without rounds says nothing');
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
  return { median, min: at(0), max: at(sorted.length - 1) };
};

/**
 * Subject over baseline, round by round. Ratios of the same round are compared, never medians of different ones:
 * what slows the machine down slows both halves of a round.
 */
export const ratioOf = (subject: readonly number[], baseline: readonly number[]): Spread => {
  if (subject.length !== baseline.length) throw new Error('a ratio needs its baseline in every round');
  return spread(subject.map((value, round) => value / (baseline[round] ?? Number.NaN)));
};

/** Every variant once, in an order of the round's own: no variant always runs after the same neighbour. */
export const shuffled = <T>(items: readonly T[], below: (n: number) => number): readonly T[] => {
  const order = [...items];
  for (let at = order.length - 1; at > 0; at--) {
    const other = below(at + 1);
    [order[at], order[other]] = [order[other] as T, order[at] as T];
  }
  return order;
};
