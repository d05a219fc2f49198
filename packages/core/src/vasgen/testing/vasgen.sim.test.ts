import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { hunt, PORTFOLIO, simulationTest } from '../../kernel/testing.ts';
import { vasgenScenario, type VasgenScenarioOptions } from './vasgen-scenario.ts';

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

/** The index never agrees with the registry, or the archive with the topic. */
const NOT_LIVE = /^not live|^liveness/;
const bugs: readonly {
  readonly bug: string;
  readonly options: Omit<VasgenScenarioOptions, 'mode'> & { readonly mode?: 'constrained' };
  readonly law: RegExp;
}[] = [
  {
    bug: 'an acknowledgement before the commit',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: {
          ...stores.registry,
          accept: (client, writes, growth) =>
            stores.registry
              .accept(client, writes, growth)
              .orElse(() => okAsync(writes.map(() => ({ kind: 'written' as const })))),
        },
      }),
    },
    law: /^acknowledged/,
  },
  {
    bug: 'an offset that moves before the publish',
    options: {
      logOf: (log) => ({
        ...log,
        publish: (records, options) =>
          records.length === 0 ? log.publish(records, options) : log.publish(records, options).orElse(() => okAsync(undefined)), // prettier-ignore
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'an offset that is written without a comparison',
    options: {
      mode: 'constrained',
      storesOf: (stores) => ({
        ...stores,
        queues: {
          ...stores.queues,
          advance: (reader, advance) =>
            stores.queues
              .advance(reader, advance)
              .orElse((error) =>
                error.kind === 'OffsetMoved'
                  ? stores.queues.advance(reader, { ...advance, from: error.actual })
                  : okAsync(undefined),
              ),
        },
      }),
    },
    law: /^offset/,
  },
  {
    bug: 'an expiry that is not fresher than its document',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: {
          ...stores.registry,
          accept: (client, writes, growth) =>
            stores.registry.accept(
              client,
              writes.map((write) =>
                write.row.place.kind === 'expiry'
                  ? {
                      ...write,
                      row: { ...write.row, place: { ...write.row.place, kind: 'document' as const } },
                    }
                  : write,
              ),
              growth,
            ),
        },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'a document that runs out without a delete for the index',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: { ...stores.registry, expired: () => okAsync([]) },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'a queue element without its epoch',
    options: {
      storesOf: (stores) => ({
        ...stores,
        queues: {
          ...stores.queues,
          read: (shard, after, limit) =>
            stores.queues.read(shard, after, limit).map((found) =>
              found.map(({ element, row }) => ({
                element: { ...element, epoch: 1 },
                row: element.epoch === 1 ? row : undefined,
              })),
            ),
        },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'a tombstone that is skipped because it has no body',
    options: {
      storesOf: (stores) => ({
        ...stores,
        queues: {
          ...stores.queues,
          read: (shard, after, limit) =>
            stores.queues
              .read(shard, after, limit)
              .map((found) => found.filter(({ row }) => row?.body !== undefined)),
        },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'deletions that are forgotten at once',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: {
          ...stores.registry,
          forgetTombstones: (client, shard, _beforeMs, limit) =>
            stores.registry.forgetTombstones(client, shard, 1e12, limit),
        },
      }),
    },
    law: /^acknowledged/,
  },
  {
    bug: 'a schema that grows in the memory of one receiver only',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: { ...stores.registry, accept: (client, writes) => stores.registry.accept(client, writes) },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'an archive position that moves before the row is written',
    options: {
      storesOf: (stores) => ({
        ...stores,
        archive: {
          ...stores.archive,
          add: (row) => stores.archive.add(row).orElse(() => okAsync(undefined)),
        },
      }),
    },
    law: NOT_LIVE,
  },
];
test.each(bugs)('[V7] seeds find $bug', { timeout: 60_000 }, async ({ options, law }) => {
  const { found } = await hunt(vasgenScenario({ mode: 'plain', ...options }), PORTFOLIO, {
    count: 400,
    budgetMs: 20_000,
  });
  expect(found?.outcome.failure).toMatch(law);
});
