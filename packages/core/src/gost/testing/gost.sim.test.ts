import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import type { BlobHash } from '../../kernel/index.ts';
import { hunt, PORTFOLIO, simulationTest } from '../../kernel/testing.ts';
import { OFFER_UPDATES } from '../export/export-queue.port.ts';
import { gostScenario, type GostScenarioOptions } from './gost-scenario.ts';

for (const mode of ['plain', 'constrained'] as const)
  simulationTest(
    `[G1] [G2] [G5] [G6] [G7] [G8] [G9] [G10] [G11] [G16] [G17] random histories, ${mode}: lists, counts, totals, topics, answers and the archive are what was decided`,
    gostScenario({ mode }),
    { seeds: 150, budgetMs: 3_500 },
  );

test.each<{ readonly bug: string; readonly options: GostScenarioOptions; readonly law: RegExp }>([
  {
    bug: 'a zombie exporter that no fence stops',
    options: {
      mode: 'plain',
      feeds: false,
      archive: false,
      operators: false,
      logOf: (log) => ({ ...log, publish: (records) => log.publish(records) }),
    },
    law: /^order/,
  },
  {
    bug: 'a delete of everything up to the last key read',
    options: {
      mode: 'plain',
      feeds: false,
      archive: false,
      operators: false,
      storesOf: (stores) => ({
        ...stores,
        queue: {
          ...stores.queue,
          delete: (keys) =>
            stores.queue
              .read(0, 100)
              .andThen((rows) => stores.queue.delete(rows.filter(({ atUs }) => atUs <= keys.at(-1)!.atUs))),
        },
      }),
    },
    law: /^lost/,
  },
  {
    bug: 'a batch of a feed whose answer is not part of its commit',
    options: {
      mode: 'plain',
      archive: false,
      storesOf: (stores) => ({
        ...stores,
        offers: {
          ...stores.offers,
          commit: (units) =>
            stores.offers
              .commit(units.map(({ outbox: _outbox, ...unit }) => unit))
              .andThrough(() =>
                stores.offers.commit(units.map(({ outbox = [] }) => ({ changes: [], outbox }))),
              ),
        },
      }),
    },
    law: /^feeds/,
  },
  {
    bug: 'an offer that leaves and forgets a line of its lists',
    options: {
      mode: 'plain',
      feeds: false,
      operators: false,
      storesOf: (stores) => ({
        ...stores,
        archive: {
          ...stores.archive,
          move: (moves) =>
            stores.archive.move(moves.map((move) => ({ ...move, presets: move.presets.slice(1) }))),
        },
      }),
    },
    law: /^lists/,
  },
  {
    bug: 'segments that are deleted without being condemned',
    options: {
      mode: 'plain',
      feeds: false,
      operators: false,
      storesOf: (stores) => {
        const doomed: BlobHash[] = [];
        return {
          ...stores,
          archive: {
            ...stores.archive,
            condemn: (segment) => {
              doomed.push(segment);
              return okAsync(true);
            },
            condemned: () => okAsync(doomed.splice(0)),
            deleted: () => okAsync(undefined),
          },
        };
      },
    },
    law: /^archive/,
  },
  {
    bug: 'an erasure that leaves the history as it is',
    options: {
      mode: 'plain',
      feeds: false,
      archive: false,
      tracesOf: (traces) => ({ ...traces, history: () => okAsync(0) }),
    },
    law: /^words: .* in gost_history/,
  },
  {
    bug: 'an erasure that forgets the stages',
    options: {
      mode: 'plain',
      feeds: false,
      archive: false,
      tracesOf: (traces) => ({ ...traces, stages: () => okAsync(undefined) }),
    },
    law: /^words: .* in storage/,
  },
  {
    bug: 'an erasure that forgets the draft',
    options: {
      mode: 'plain',
      feeds: false,
      archive: false,
      tracesOf: (traces) => ({ ...traces, draft: () => okAsync(undefined) }),
    },
    law: /^words: .* in gost_current_draft/,
  },
  {
    bug: 'a stage that tells of what it keeps',
    options: {
      mode: 'plain',
      feeds: false,
      archive: false,
      stagesOf: (storage, stores) => ({
        ...storage,
        put: (space, key, value, expected) =>
          storage.put(space, key, value, expected).andThrough(() => {
            const record = { shard: 0, topic: OFFER_UPDATES, key: key.split('/')[0]!, id: 'stage' };
            const view = new TextEncoder().encode('{"version":1}');
            return stores.offers
              .commit([{ changes: [], outbox: [{ ...record, atUs: 1, value: view }] }])
              .map(() => undefined);
          }),
      }),
    },
    law: /^(echo|order)/,
  },
  {
    bug: 'a stage that puts without compare',
    options: {
      mode: 'plain',
      feeds: false,
      archive: false,
      stagesOf: (storage) => ({
        ...storage,
        put: (space, key, value) =>
          storage.get(space, [key]).andThen(([found]) => storage.put(space, key, value, found?.version ?? 0)),
      }),
    },
    law: /^stage/,
  },
])('[B5] [G5] the laws find $bug', async ({ options, law }) => {
  const { found } = await hunt(gostScenario(options), PORTFOLIO, { count: 400, budgetMs: 12_000 });
  expect(found?.outcome.failure).toMatch(law);
});
