import { simulationTest } from '../../kernel/testing.ts';
import { feedsScenario } from './feeds-scenario.ts';

simulationTest(
  '[P2] [P3] [P4] [P6] [P7] [P9] random histories of feeds: order, tokens, files, statistics and offers are right',
  feedsScenario(),
  { seeds: 200, budgetMs: 5_000 },
);
