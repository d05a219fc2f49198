import { test } from 'vitest';
import { hunt } from './hunt.ts';
import type { Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';
import { story } from './story.ts';
import { PORTFOLIO } from './strategies.ts';
import { parseTape } from './tape.ts';

export type SimulationTestOptions = {
  readonly seeds?: number;
  /** Stops before all seeds are done; the annotation says how many were. */
  readonly budgetMs?: number;
};
type Settings = Readonly<Record<string, string | undefined>>;

const SEEDS = 300;
const BUDGET_MS = 3_000;
const SHRINK_ALLOWANCE_MS = 60_000;

const budgetOf = (options: SimulationTestOptions, settings: Settings): number =>
  Number(settings.DOSKA_SIM_BUDGET_MS ?? options.budgetMs ?? BUDGET_MS);

/** What broke, told as a story; undefined after a green hunt, of which `told` hears. */
export const failureStory = async (
  scenario: Scenario,
  options: SimulationTestOptions,
  settings: Settings,
  told: (summary: string) => unknown = () => {},
): Promise<string | undefined> => {
  if (settings.DOSKA_TAPE !== undefined) {
    const tape = parseTape(settings.DOSKA_TAPE);
    const { failure, trace } = await simulate(scenario, { tape }, { trace: true });
    return failure === undefined ? undefined : [failure, ...trace].join('\n');
  }
  const range =
    settings.DOSKA_SEED === undefined
      ? {
          first: Number(settings.DOSKA_SIM_FIRST ?? 1),
          count: Number(settings.DOSKA_SIM_SEEDS ?? options.seeds ?? SEEDS),
          budgetMs: budgetOf(options, settings),
        }
      : { first: Number(settings.DOSKA_SEED), count: 1 };
  const { ran, steps, found } = await hunt(scenario, PORTFOLIO, range);
  if (found) return story(scenario, found);
  await told(`${ran} seeds from ${range.first}, ${steps} steps`);
  return undefined;
};

/**
 * A test that runs `scenario` under many seeds. Fixed seeds by default, so that a red test is red again.
 * `DOSKA_SEED=n` or `DOSKA_TAPE=…` replays what a failure printed; `DOSKA_SIM_SEEDS`, `DOSKA_SIM_FIRST` and
 * `DOSKA_SIM_BUDGET_MS` make a long hunt of it.
 */
export const simulationTest = (
  name: string,
  scenario: Scenario,
  options: SimulationTestOptions = {},
): void => {
  const timeout = budgetOf(options, process.env) + SHRINK_ALLOWANCE_MS;
  test(name, { timeout }, async ({ annotate }) => {
    const broken = await failureStory(scenario, options, process.env, annotate);
    if (broken === undefined) return;
    const error = new Error(broken);
    // The message is the story; a stack would only show this file.
    error.stack = '';
    throw error;
  });
};
