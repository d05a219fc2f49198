import { expect, test } from 'vitest';
import { hunt, PORTFOLIO, simulationTest } from '../../kernel/testing.ts';
import { vasgenBugs } from './vasgen-bugs.ts';
import { vasgenScenario } from './vasgen-scenario.ts';

/** As many seeds as planned, however slow the machine is. */
const seeds = (count: number, long: number) =>
  process.env['DOSKA_TEST_LONG']
    ? { seeds: long, budgetMs: 4 * 3_600_000 }
    : { seeds: count, budgetMs: 300_000 };

simulationTest(
  '[V2] [V3] [V6] [V7] [V10] documents reach every index and the archive after any fault',
  vasgenScenario({ mode: 'plain' }),
  seeds(40, 10_000),
);
simulationTest(
  '[V2] [V3] [V6] [V7] [V10] documents reach every index and the archive on a database that aborts and a log that does not fence',
  vasgenScenario({ mode: 'constrained' }),
  seeds(40, 10_000),
);
simulationTest(
  '[V3] a live document is visible while the bulk queue waits',
  vasgenScenario({ mode: 'plain', bulkWaits: true }),
  seeds(30, 2_000),
);
simulationTest(
  '[V10] a searcher that comes back after its topic was pruned and deletions were forgotten holds what the registry holds',
  vasgenScenario({ mode: 'plain', isAwayForAMonth: true }),
  seeds(30, 2_000),
);
simulationTest(
  '[V5] the deletion of a document that was composed long ago is remembered for the whole horizon',
  vasgenScenario({ mode: 'plain', composedLongAgo: true }),
  seeds(30, 2_000),
);

/** Each is found by a fixed seed far below this, so a slow machine changes nothing. */
const SEEDS = 400;
test.each(vasgenBugs)('[V7] seeds find $bug', { timeout: 300_000 }, async ({ options, law }) => {
  const { found } = await hunt(vasgenScenario({ mode: 'plain', ...options }), PORTFOLIO, { count: SEEDS });
  expect(found?.outcome.failure).toMatch(law);
});
