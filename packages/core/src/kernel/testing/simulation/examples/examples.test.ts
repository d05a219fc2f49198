import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { exhaust } from '../exhaust.ts';
import { hunt } from '../hunt.ts';
import type { Scenario } from '../scenario.ts';
import { shrink } from '../shrink.ts';
import { simulate } from '../simulate.ts';
import { failureStory, simulationTest } from '../simulation-test.ts';
import { PORTFOLIO } from '../strategies.ts';
import { deviations } from '../tape.ts';
import { leasedExporterScenario } from './leased-exporter.ts';
import { inMemoryOutbox, outboxScenario, outboxServer } from './outbox.ts';

const planted = [
  { bug: 'a range delete', scenario: outboxScenario('range'), law: /^lost event/, stepsMax: 25 },
  {
    bug: 'no fence, and an owner that freezes',
    scenario: leasedExporterScenario('none', { faults: ['pause'] }),
    law: /^out of order/,
    stepsMax: 50,
  },
  {
    bug: 'a fence without a sequence',
    scenario: leasedExporterScenario('token'),
    law: /^out of order/,
    stepsMax: 40,
  },
];
const repaired = [
  { name: 'the outbox that deletes exactly what it published', scenario: outboxScenario('exact') },
  { name: 'the exporter fenced by token and sequence', scenario: leasedExporterScenario('token+sequence') },
];
const find = async (scenario: Scenario) => {
  const { found } = await hunt(scenario, PORTFOLIO, { count: 1_000 });
  return found ?? expect.unreachable('no seed found the planted bug');
};

describe.each(planted)('$bug', ({ scenario, law, stepsMax }) => {
  test('[B5] seeds find the planted race, and the same seed repeats it step by step', async () => {
    const { seed, outcome } = await find(scenario);
    expect(outcome.failure).toMatch(law);
    const again = await simulate(scenario, { seed, strategy: PORTFOLIO[seed % PORTFOLIO.length]! });
    expect(again).toEqual(outcome);
  });

  test('[B5] its tape replays the failure, and the shrunk tape gives a shorter failure of the same kind', async () => {
    const { outcome } = await find(scenario);
    expect((await simulate(scenario, { tape: outcome.tape })).failure).toBe(outcome.failure);
    const small = await shrink(scenario, outcome);
    const shrunk = await simulate(scenario, { tape: small.tape });
    expect(shrunk.failure).toMatch(law);
    expect(shrunk.steps).toBeLessThanOrEqual(stepsMax);
    expect(shrunk.steps + 3 * deviations(small.tape)).toBeLessThanOrEqual(
      outcome.steps + 3 * deviations(outcome.tape),
    );
  });

  test('[B5] the message of a failed test has the law, both replays and the steps', async () => {
    const told = await failureStory(scenario, {}, { DOSKA_SIM_SEEDS: '1000', DOSKA_SIM_BUDGET_MS: '60000' });
    expect(told).toMatch(law);
    const [, seed, tape] = /DOSKA_SEED=(\d+) .*DOSKA_TAPE=(\S+)/.exec(told ?? '') ?? [];
    expect(told).toMatch(/^ +\d+ +\d+ms {2}\w+ +\w+\.\w+\(.*\) -> ok/m);
    expect(await failureStory(scenario, {}, { DOSKA_SEED: seed })).toBe(told);
    const replayed = await failureStory(scenario, {}, { DOSKA_TAPE: tape });
    expect(replayed?.split('\n')[0]).toBe(told?.split('\n')[0]);
  });
});

describe.each(repaired)('$name', ({ scenario }) => {
  test('[B5] stays green for 10,000 seeds', { timeout: 120_000 }, async () => {
    expect(await failureStory(scenario, { seeds: 10_000, budgetMs: 100_000 }, {})).toBeUndefined();
  });
});

const tiny = { writers: 2, events: 1, wildSteps: 30 };
test('[B5] in a tiny world every run with two deviations is tried; the bug is found and the repair passes', async () => {
  const broken = await exhaust(outboxScenario('range', tiny), { bound: 2, runsMax: 50_000 });
  expect(broken.found?.failure).toMatch(/^lost event/);
  const clean = await exhaust(outboxScenario('exact', tiny), { bound: 2, runsMax: 50_000 });
  expect(clean).toEqual({ runs: clean.runs, complete: true });
  expect(clean.runs).toBeGreaterThan(500);
});

test('[B5] an incomplete search is reported as incomplete', async () => {
  const cut = await exhaust(outboxScenario('exact', tiny), { bound: 3, runsMax: 50 });
  expect(cut).toEqual({ runs: 50, complete: false });
});

simulationTest('[B5] simulationTest runs a scenario as a test', outboxScenario('exact'), { seeds: 50 });

test('[B5] the same adapter serves a plain unit test', async () => {
  const outbox = inMemoryOutbox(outboxServer());
  expect(await outbox.commit('created')).toEqual(ok(1));
  expect(await outbox.oldest(10)).toEqual(ok([{ seq: 1, event: 'created' }]));
});

test('[B5] deep traces have the same hash on every machine', async () => {
  let sum = 0;
  for (const scenario of [...planted, ...repaired].map((each) => each.scenario)) {
    for (let seed = 1; seed <= 40; seed++) {
      const { hash } = await simulate(scenario, { seed, strategy: PORTFOLIO[seed % 8]! }, { deep: true });
      sum = (Math.imul(sum, 31) + hash) >>> 0;
    }
  }
  expect(sum.toString(16)).toBe('6f873823');
});
