import type { Outcome, Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';
import { deviations, trimmed } from './tape.ts';

/** Failures are of one kind if they start with the same words: numbers and names may differ. */
const kindOf = (failure: string | undefined): string | undefined => failure?.split(/[:(]/, 1)[0];

/** A reader pays for every step, and more for every surprise. (Surprises alone made stories longer.) */
const priceOf = (steps: number, tape: readonly number[], surprise: number): number =>
  steps + surprise * deviations(tape);

export type ShrinkOptions = { readonly runsMax?: number; readonly surprise?: number };

/**
 * Makes a failing tape calm: zeroes chunks, drops chunks, lowers values, as long as the failure stays of its
 * kind and the story gets cheaper. Ends at a tape that no single such change improves, or after `runsMax` runs.
 */
export const shrink = async (
  scenario: Scenario,
  from: Outcome,
  { runsMax = 2_000, surprise = 3 }: ShrinkOptions = {},
): Promise<{ readonly tape: readonly number[]; readonly runs: number }> => {
  let best = trimmed(from.tape);
  let price = priceOf(from.steps, best, surprise);
  let runs = 0;

  const attempt = async (tape: readonly number[]): Promise<boolean> => {
    if (runs >= runsMax) return false;
    runs++;
    const outcome = await simulate(scenario, { tape });
    const played = trimmed(outcome.tape);
    const cost = priceOf(outcome.steps, played, surprise);
    if (kindOf(outcome.failure) !== kindOf(from.failure) || cost >= price) return false;
    best = played;
    price = cost;
    return true;
  };
  const withValue = (at: number, value: number): number[] => best.map((old, i) => (i === at ? value : old));

  const shortenChunks = async (): Promise<void> => {
    for (let size = Math.max(1, best.length >> 1); size >= 1; size >>= 1) {
      for (let at = best.length - size; at >= 0; at = Math.min(at, best.length) - size) {
        const calm = best.map((value, i) => (i >= at && i < at + size ? 0 : value));
        if (best.slice(at, at + size).some(Boolean) && (await attempt(calm))) continue;
        await attempt([...best.slice(0, at), ...best.slice(at + size)]);
      }
    }
  };
  const lowerValues = async (): Promise<void> => {
    for (let at = 0; at < best.length; at++) {
      while ((best[at] ?? 0) > 3 && (await attempt(withValue(at, best[at]! >> 1))));
      while ((best[at] ?? 0) > 1 && (await attempt(withValue(at, best[at]! - 1))));
      // One more switch may save many steps.
      if (best[at] === 0) await attempt(withValue(at, 1));
    }
  };

  for (let before = Infinity; price < before && runs < runsMax;) {
    before = price;
    await shortenChunks();
    await lowerValues();
  }
  return { tape: best, runs };
};
