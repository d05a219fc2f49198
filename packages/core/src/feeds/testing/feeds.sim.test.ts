import { okAsync, ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import type { FeedKey, SellerId } from '../../gost/index.ts';
import { hunt, PORTFOLIO, simulationTest } from '../../kernel/testing.ts';
import type { FeedChange, Load } from '../domain/load.ts';
import type { FeedStores } from '../ports/feed-store.port.ts';
import { feedsScenario, type FeedsScenarioOptions } from './feeds-scenario.ts';

simulationTest(
  '[P2] [P3] [P4] [P6] [P7] [P9] random histories of feeds: order, tokens, files, statistics and offers are right',
  feedsScenario(),
  { seeds: 200, budgetMs: 5_000 },
);

/** Changes every commit of a process. */
const committing =
  (change: (key: FeedKey, right: FeedChange) => FeedChange) =>
  (right: FeedStores): FeedStores => ({
    ...right,
    feeds: {
      ...right.feeds,
      commit: (key, revision, given) => right.feeds.commit(key, revision, change(key, given)),
    },
  });
const withLoads = (change: FeedChange, next: (load: Load) => Load): FeedChange => ({
  ...change,
  ...(change.loads ? { loads: change.loads.map(next) } : {}),
});

test.each<{ readonly bug: string; readonly options: FeedsScenarioOptions; readonly law: RegExp }>([
  {
    bug: 'a generation that starts again when a lock is freed',
    options: {
      storesOf: committing((_key, change) => {
        const lock = change.locks?.feedprocessor;
        if (!lock || lock.holder !== undefined) return change;
        return { ...change, locks: { ...change.locks, feedprocessor: { ...lock, token: 0 } } };
      }),
    },
    law: /^growth/,
  },
  {
    bug: 'a terminal message before the last batch is acknowledged',
    options: {
      logOf: (log) => ({
        ...log,
        publish: (records) => {
          void log.publish(records);
          return okAsync(undefined);
        },
      }),
    },
    law: /^order/,
  },
  {
    bug: 'answers of two generations that are added up',
    options: {
      storesOf: (right) => ({
        ...right,
        feeds: {
          ...right.feeds,
          statistics: (key, tasks) =>
            right.feeds.load(key).andThen((stored) =>
              right.feeds.statistics(key, tasks).map(
                (found) =>
                  new Map(
                    [...found].map(([task, row]) => {
                      const open = stored?.open.find((load) => load.task.id === task);
                      return [task, { ...row, generation: open?.task.generation ?? row.generation }];
                    }),
                  ),
              ),
            ),
        },
      }),
    },
    law: /^statistics/,
  },
  {
    bug: 'answers that are saved each time they come',
    options: {
      storesOf: (right) => ({
        ...right,
        feeds: { ...right.feeds, savedBatches: () => okAsync(new Set<number>()) },
      }),
    },
    law: /^statistics/,
  },
  {
    bug: 'a file that is deleted by its hash, whatever holds it',
    options: {
      storesOf: (right) => ({ ...right, owners: { ...right.owners, isHolding: () => okAsync(false) } }),
    },
    law: /^(files|liveness)/,
  },
  {
    bug: 'a row of the queue that is forgotten after a failed run',
    options: {
      storesOf: committing((_key, change) =>
        withLoads(change, (load) =>
          load.task.place === 'queued' && load.task.attempts > 0
            ? { ...load, task: { ...load.task, nextAttemptAtMs: Number.MAX_SAFE_INTEGER } }
            : load,
        ),
      ),
    },
    law: /^liveness/,
  },
  {
    bug: 'a held load that never gives way',
    options: {
      storesOf: committing((_key, change) => ({
        ...change,
        ...(change.loads
          ? {
              loads: change.loads.filter(
                ({ task }) => !(task.place === 'succeed' && task.removal === 'superseded'),
              ),
            }
          : {}),
      })),
    },
    law: /^liveness/,
  },
  {
    bug: 'a removal that is cleaned up before it has ended',
    options: {
      storesOf: (right) => {
        const old: FeedStores['cleanup']['old'] = (limit) =>
          right.cleanup.old(limit).andThen((found) =>
            right.feeds.feedsOf('s0' as SellerId).andThen((all) =>
              ResultAsync.combine(
                all.map((feed) =>
                  right.feeds.history(feed, { limit }).map((loads) =>
                    loads
                      .filter(({ origin }) => origin === 'removal')
                      .map(({ task }) => ({
                        seller: feed.seller,
                        namespace: feed.namespace,
                        task: task.id,
                      })),
                  ),
                ),
              ).map((more) => [...found, ...more.flat()]),
            ),
          );
        return { ...right, cleanup: { ...right.cleanup, old } };
      },
    },
    law: /^(vanished|liveness)/,
  },
])('[B5] [P3] the laws find $bug', { timeout: 240_000 }, async ({ options, law }) => {
  // Bounded by seeds, not by time: a slow machine must find the same.
  const { found } = await hunt(feedsScenario(options), PORTFOLIO, { count: 200 });
  expect(found?.outcome.failure).toMatch(law);
});
