import { expect, test } from 'vitest';
import { hunt, PORTFOLIO, simulationTest } from '../../kernel/testing.ts';
import { vasgenBugs } from './vasgen-bugs.ts';
import { vasgenScenario } from './vasgen-scenario.ts';

simulationTest(
  '[V2] [V3] [V6] [V7] [V10] documents reach every index and the archive after any fault',
  vasgenScenario({ mode: 'plain' }),
  { seeds: 60 },
);
simulationTest(
  '[V2] [V3] [V6] [V7] [V10] documents reach every index and the archive on a database that aborts and a log that does not fence',
  vasgenScenario({ mode: 'constrained' }),
  { seeds: 60 },
);
simulationTest(
  '[V3] a live document is visible while the bulk queue waits',
  vasgenScenario({ mode: 'plain', bulkWaits: true }),
  { seeds: 30 },
);
simulationTest(
  '[V10] a searcher that comes back after its topic was pruned and deletions were forgotten holds what the registry holds',
  vasgenScenario({ mode: 'plain', isAwayForAMonth: true }),
  { seeds: 30 },
);

test.each(vasgenBugs)('[V7] seeds find $bug', { timeout: 60_000 }, async ({ options, law }) => {
  const { found } = await hunt(vasgenScenario({ mode: 'plain', ...options }), PORTFOLIO, {
    count: 400,
    budgetMs: 20_000,
  });
  expect(found?.outcome.failure).toMatch(law);
});
