import type { Outcome, Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';

type Deviation = { readonly at: number; readonly value: number };
export type Exhausted = {
  readonly runs: number;
  /** True if every run within the bound was made, without a cut for number or for a choice with too many options. */
  readonly complete: boolean;
  readonly found?: Outcome;
};
export type ExhaustOptions = {
  /** Deviations from the calm run that one run may have. */
  readonly bound: number;
  readonly runsMax: number;
  /** Of a choice with more options only three are tried: 1, the middle one and the last. */
  readonly optionsMax?: number;
};

const valuesOf = (options: number, optionsMax: number): number[] =>
  options <= optionsMax
    ? Array.from({ length: options - 1 }, (_, i) => i + 1)
    : [1, options >> 1, options - 1];

const tapeOf = (path: readonly Deviation[]): number[] => {
  const tape = new Array<number>((path.at(-1)?.at ?? -1) + 1).fill(0);
  for (const { at, value } of path) tape[at] = value;
  return tape;
};

/** Delay-bounded search for tiny worlds: every run with at most `bound` deviations from the calm one, fewest first. */
export const exhaust = async (
  scenario: Scenario,
  { bound, runsMax, optionsMax = 16 }: ExhaustOptions,
): Promise<Exhausted> => {
  let frontier: (readonly Deviation[])[] = [[]];
  let runs = 0;
  let complete = true;
  for (let level = 0; level <= bound; level++) {
    const next: (readonly Deviation[])[] = [];
    for (const path of frontier) {
      if (runs >= runsMax) return { runs, complete: false };
      runs++;
      const tape = tapeOf(path);
      const outcome = await simulate(scenario, { tape });
      if (outcome.failure !== undefined) return { runs, complete: false, found: outcome };
      if (level === bound) continue;
      for (let at = tape.length; at < outcome.arity.length; at++) {
        const options = outcome.arity[at]!;
        if (options > optionsMax) complete = false;
        for (const value of valuesOf(options, optionsMax)) {
          if (next.length < runsMax) next.push([...path, { at, value }]);
          else complete = false;
        }
      }
    }
    frontier = next;
  }
  return { runs, complete };
};
