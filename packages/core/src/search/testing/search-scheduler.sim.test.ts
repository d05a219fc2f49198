import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { hunt, PORTFOLIO, simulationTest } from '../../kernel/testing.ts';
import type { CtrState } from '../ctr/ctr-state.ts';
import { schedulerScenario, type SchedulerScenarioOptions } from './search-scheduler-scenario.ts';
import { searchCodecs } from './search-world.ts';

const isLong = process.env['DOSKA_TEST_LONG'] !== undefined;
for (const mode of ['plain', 'constrained'] as const)
  simulationTest(
    `[S1] [S2] [S4] [S5] [S10] offers reach every epoch with their click rates after any fault, ${mode}`,
    schedulerScenario({ mode }),
    isLong ? { seeds: 10_000, budgetMs: 3_600_000 } : { seeds: 40, budgetMs: 120_000 },
  );

const NOT_LIVE = /^not live|^liveness/;
const bugs: readonly {
  readonly bug: string;
  readonly options: SchedulerScenarioOptions;
  readonly law: RegExp;
}[] = [
  {
    bug: 'a position that moves before the write',
    options: {
      portsOf: (right, process) =>
        process !== 'scheduler'
          ? right
          : {
              ...right,
              log: {
                ...right.log,
                publish: (records, options) =>
                  right.log.publish(records, options).orElse(() => okAsync(undefined)),
              },
            },
    },
    law: /^position/,
  },
  {
    bug: 'a fallback that takes an older answer',
    options: {
      portsOf: (right, process) =>
        process !== 'scheduler'
          ? right
          : {
              ...right,
              offers: {
                ...right.offers,
                // Whatever version it has, it counts as the newest.
                find: (ids) =>
                  right.offers
                    .find(ids)
                    .map(
                      (found) =>
                        new Map(
                          [...found].map(([id, view]) => [id, { ...view, updatedAtUs: 1_000 }] as const),
                        ),
                    ),
              },
            },
    },
    law: /^content/,
  },
  {
    bug: 'a batch that is dropped when a later offer blocks',
    options: {
      // The last record is known to block, and those before it are taken as done.
      handlerOf: (right, ports) => async (batch, signal) => {
        const view = searchCodecs.view.decode(batch.records.at(-1)!.value);
        const isBlocking = view.match(
          ({ category, status }) => (category as string) === 'no-such' && status === 'active',
          () => false,
        );
        if (!isBlocking || batch.records.length < 2) return right(batch, signal);
        return {
          kind: 'blocked',
          reason: 'a later offer blocks',
          handled: batch.records.length - 1,
          retryAtMs: ports.clock.nowMs() + 50,
        };
      },
    },
    law: /^position/,
  },
  {
    bug: 'epochs that are remembered without end',
    options: { settingsOf: (right) => ({ ...right, epochsKeptMs: Infinity }) },
    law: NOT_LIVE,
  },
  {
    bug: 'a resend without click rates',
    options: {
      portsOf: (right, process) =>
        process !== 'jobs'
          ? right
          : {
              ...right,
              ctr: { ...right.ctr, rates: { ...right.ctr.rates, rates: () => okAsync(new Map()) } },
            },
    },
    law: NOT_LIVE,
  },
  {
    bug: 'a load that is current before it is whole',
    options: {
      portsOf: (right) => ({
        ...right,
        ctr: {
          ...right.ctr,
          rates: {
            ...right.ctr.rates,
            put: (epoch, rates) => right.ctr.rates.put(epoch, rates).orElse(() => okAsync(undefined)),
            count: () => okAsync(4),
          },
        },
      }),
    },
    law: /^ctr/,
  },
  {
    bug: 'a load whose documents are no fresher than those before',
    options: {
      portsOf: (right) => ({
        ...right,
        storage: {
          ...right.storage,
          get: (space, keys) =>
            right.storage.get(space, keys).map((found) =>
              found.map((row) => {
                if (space !== 'search.ctr') return row;
                const state = JSON.parse(new TextDecoder().decode(row.value)) as CtrState;
                const value = new TextEncoder().encode(JSON.stringify({ ...state, composedUpToMs: 0 }));
                return { ...row, value };
              }),
            ),
        },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'a delete that asks the catalogue',
    options: {
      handlerOf: (right, ports) => async (batch, signal) => {
        const broken = batch.records.findIndex(({ value }) =>
          searchCodecs.view.decode(value).match(
            ({ category }) => ports.catalog.copy()._unsafeUnwrap().catalog.category(category) === undefined,
            () => false,
          ),
        );
        if (broken !== 0) return right(batch, signal);
        const reason = 'the catalogue does not know the category';
        return { kind: 'blocked', reason, retryAtMs: ports.clock.nowMs() + 50 };
      },
    },
    law: NOT_LIVE,
  },
  {
    bug: 'an offer that is passed over before it is in the lot',
    options: {
      portsOf: (right, process) =>
        process === 'scheduler'
          ? {
              ...right,
              lot: { ...right.lot, park: () => okAsync(undefined) },
            }
          : right,
    },
    law: /^position|^not live|^liveness/,
  },
  {
    bug: 'parked offers that are never retried',
    options: {
      portsOf: (right) => ({ ...right, lot: { ...right.lot, due: () => okAsync([]) } }),
    },
    law: NOT_LIVE,
  },
];
test.each(bugs)('[B5] [S4] [S5] seeds find $bug', { timeout: 300_000 }, async ({ options, law }) => {
  const { found } = await hunt(schedulerScenario(options), PORTFOLIO, { count: 400 });
  expect(found?.outcome.failure).toMatch(law);
});
