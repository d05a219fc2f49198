import type { Outcome, Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';
import { fifo, type MakeStrategy } from './strategies.ts';

export type Found = { readonly seed: number; readonly outcome: Outcome };
export type Hunt = { readonly ran: number; readonly steps: number; readonly found?: Found };
export type HuntOptions = {
  readonly first?: number;
  readonly count?: number;
  readonly budgetMs?: number;
  /** Every such seed runs twice, deeply hashed: what the traps can't see (state that outlives a run) shows here. */
  readonly twiceEvery?: number;
};

/** Seeds `first, first + 1, …` until one fails, `count` are done, or the time budget is spent. */
export const hunt = async (
  scenario: Scenario,
  strategies: readonly MakeStrategy[],
  { first = 1, count = 1_000, budgetMs = Infinity, twiceEvery = 50 }: HuntOptions = {},
): Promise<Hunt> => {
  const startedMs = performance.now();
  let ran = 0;
  let steps = 0;
  for (let seed = first; ran < count && performance.now() - startedMs < budgetMs; seed++) {
    const plan = { seed, strategy: strategies[seed % strategies.length] ?? fifo };
    const deep = twiceEvery > 0 && seed % twiceEvery === 0;
    const outcome = await simulate(scenario, plan, { deep });
    ran++;
    steps += outcome.steps;
    if (outcome.failure !== undefined) return { ran, steps, found: { seed, outcome } };
    if (!deep) continue;
    const again = await simulate(scenario, plan, { deep });
    if (again.hash === outcome.hash && again.failure === undefined) continue;
    const failure = `nondeterminism: seed ${seed} gave trace ${outcome.hash} and then ${again.hash}`;
    return { ran, steps, found: { seed, outcome: { ...again, failure } } };
  }
  return { ran, steps };
};
