import { test } from 'vitest';
import { hunt } from './hunt.ts';
import type { Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';
import { story } from './story.ts';
import { PORTFOLIO } from './strategies.ts';
import { parseTape } from './tape.ts';

export type SimulationTestOptions = {
  readonly seeds?: number;
  /** Stops before all seeds are done; says so in the annotation. */
  readonly budgetMs?: number;
};

const SHRINK_ALLOWANCE_MS = 60_000;

/** The message is the story; a stack would only show this file. */
const failWith = (message: string): never => {
  const error = new Error(message);
  error.stack = '';
  throw error;
};

const replayTape = async (scenario: Scenario, tape: string): Promise<void> => {
  const { failure, trace } = await simulate(scenario, { tape: parseTape(tape) }, { trace: true });
  if (failure !== undefined) failWith([failure, ...trace].join('\n'));
};

/**
 * A test that runs `scenario` under many seeds. Fixed seeds by default, so that a red test is red again.
 * `DOSKA_SEED=n` or `DOSKA_TAPE=…` replays what a failure printed; `DOSKA_SIM_SEEDS`, `DOSKA_SIM_FIRST` and
 * `DOSKA_SIM_BUDGET_MS` make a long hunt of it.
 */
export const simulationTest = (
  name: string,
  scenario: Scenario,
  { seeds = 300, budgetMs = 3_000 }: SimulationTestOptions = {},
): void => {
  const { DOSKA_SEED, DOSKA_TAPE, DOSKA_SIM_SEEDS, DOSKA_SIM_FIRST, DOSKA_SIM_BUDGET_MS } = process.env;
  const budget = Number(DOSKA_SIM_BUDGET_MS ?? budgetMs);
  test(name, { timeout: budget + SHRINK_ALLOWANCE_MS }, async ({ annotate }) => {
    if (DOSKA_TAPE !== undefined) return replayTape(scenario, DOSKA_TAPE);
    const range =
      DOSKA_SEED === undefined
        ? { first: Number(DOSKA_SIM_FIRST ?? 1), count: Number(DOSKA_SIM_SEEDS ?? seeds), budgetMs: budget }
        : { first: Number(DOSKA_SEED), count: 1 };
    const { ran, steps, found } = await hunt(scenario, PORTFOLIO, range);
    if (found) failWith(await story(scenario, found));
    await annotate(`${ran} seeds from ${range.first}, ${steps} steps`);
  });
};
