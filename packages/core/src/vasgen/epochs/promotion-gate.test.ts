import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { manualClock } from '../../kernel/testing.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { SearcherIndex, StoredReport } from '../searcher/searcher-report.ts';
import { sampleEpochs } from '../testing/document-samples.ts';
import { makeAwaitCaughtUp } from './await-caught-up.use-case.ts';
import { makeManageEpochs } from './manage-epochs.use-case.ts';
import { queueBehind, searchersBehind } from './promotion-gate.ts';

const client = 'offers' as ClientName;
const TOPIC = 'vasgen-offers-index';
const at = (partition: number, offset: number, log = 'l') => ({ log, topic: TOPIC, partition, offset });
const report = (given: Partial<SearcherIndex> = {}, searcher = 's1'): StoredReport => ({
  searcher,
  ageMs: 0,
  indexes: [{ epoch: 2, caughtUp: true, positions: [at(0, 5), at(1, 3)], ...given }],
});
const heads = {
  log: 'l',
  topic: TOPIC,
  heads: [
    { partition: 0, head: 5 },
    { partition: 1, head: 3 },
  ],
};

test.each([
  ['everything is done', [3, 0], [3, 0], 0],
  ['more than the heads is done', [3, 0], [9, 9], 0],
  ['one element of one shard is left', [3, 1], [3, 0], 1],
  ['both shards have some left', [3, 2], [1, 1], 3],
  ['nothing was ever done', [2, 2], [], 4],
])('[V11] a queue holds a promotion back until its elements are published: %s', (_, head, offsets, left) => {
  const behind = queueBehind('bulk', head, offsets);
  expect(behind).toEqual(left === 0 ? [] : [{ what: `queue bulk: ${left} documents are not published yet` }]);
});
test.each([
  ['it has applied everything', [report()], []],
  ['it has applied more', [report({ positions: [at(0, 6), at(1, 9)] })], []],
  ['one record is missing', [report({ positions: [at(0, 5), at(1, 2)] })], ['s1: 1 records are not applied']],
  ['a partition is unknown', [report({ positions: [at(0, 5)] })], ['s1: 3 records are not applied']],
  [
    'its places are of a topic that was created again',
    [report({ positions: [at(0, 5, 'old'), at(1, 3)] })],
    ['s1: 5 records are not applied'],
  ],
  ['it has not caught up', [report({ caughtUp: false })], ['s1: its index of epoch 2 has not caught up']],
  ['it has no such index', [report({ epoch: 1 })], ['s1: it has no index of epoch 2']],
  [
    'only the second one is behind',
    [report(), report({ caughtUp: false }, 's2')],
    ['s2: its index of epoch 2 has not caught up'],
  ],
  ['there is none', [], ['no searcher is running']],
])('[V11] a searcher holds a promotion back until it has applied the topic: %s', (_, searchers, expected) => {
  const behind = searchersBehind(2, heads, searchers);
  expect(behind).toHaveLength(expected.length);
  for (const [i, words] of expected.entries()) expect(behind[i]!.what).toContain(words);
});

/** A world in which indexer and searcher move when the clock does. */
const world = (given: { readonly publishedAtMs?: number; readonly appliedAtMs?: number } = {}) => {
  const { clock, advance } = manualClock(0);
  const { publishedAtMs = 0, appliedAtMs = 0 } = given;
  let topicHead = 5;
  const awaitCaughtUp = makeAwaitCaughtUp({
    clock,
    settings: { waitMs: 1_000, pollMs: 100, searcherLiveMs: 500, group: 'indexer' },
    queues: {
      heads: () => okAsync([4]),
      offsets: (_client, queue, group) => {
        const isDone = queue !== 'bulk' || clock.nowMs() >= publishedAtMs;
        if (isDone && queue === 'bulk') topicHead = 7;
        return okAsync([isDone && group === 'indexer' ? 4 : 3]);
      },
    },
    searchers: {
      live: (_client, youngerThanMs) =>
        okAsync(
          youngerThanMs === 500
            ? [report({ positions: [at(0, clock.nowMs() >= appliedAtMs ? 7 : 5), at(1, 3)] })]
            : [],
        ),
    },
    log: {
      topics: () =>
        okAsync([
          { name: TOPIC, log: 'l', partitions: 2, retentionMs: 1, recordBytesMax: 1, times: 'log' as const },
        ]),
      lag: () =>
        okAsync([
          { partition: 0, committed: undefined, head: topicHead, lag: 0, oldestUnreadAtMs: undefined },
          { partition: 1, committed: undefined, head: 3, lag: 0, oldestUnreadAtMs: undefined },
        ]),
    },
  });
  /** Moves the clock until the answer is there. */
  const run = async <T>(asked: Promise<T>): Promise<T> => {
    let isOver = false;
    void asked.finally(() => (isOver = true));
    for (let i = 0; i < 100 && !isOver; i++) await advance(100);
    return asked;
  };
  return { clock, awaitCaughtUp, run };
};

test('[V11] a promotion waits for queues and then for searchers', async () => {
  const { clock, awaitCaughtUp, run } = world({ publishedAtMs: 300, appliedAtMs: 700 });
  expect((await run(awaitCaughtUp(client, 2)))._unsafeUnwrap()).toEqual([]);
  expect(clock.nowMs()).toBeGreaterThanOrEqual(700);
});
test('[V11] the heads of the topic are read after the queues are done, so what indexers publish meanwhile counts', async () => {
  const { awaitCaughtUp, run } = world({ publishedAtMs: 300, appliedAtMs: 5_000 });
  const behind = (await run(awaitCaughtUp(client, 2)))._unsafeUnwrap();
  expect(behind).toEqual([{ what: 'searcher s1: 2 records are not applied yet' }]);
});
test('[V11] a promotion that waits too long says what is behind and changes nothing; force promotes', async () => {
  const { awaitCaughtUp, run } = world({ publishedAtMs: 9_000 });
  let states = sampleEpochs(undefined, [[1, 'serving'], [2, 'building']]); // prettier-ignore
  let changes = 0;
  const known = { get: () => okAsync(states), reload: () => okAsync(states), grown: () => {} };
  const store = {
    change: () => {
      changes++;
      return okAsync(undefined);
    },
  };
  const epochs = makeManageEpochs(store as never, known, awaitCaughtUp);
  const refused = await run(epochs.change(client, 'promote'));
  expect(refused._unsafeUnwrapErr()).toMatchObject({
    kind: 'EpochBehind',
    epoch: 2,
    behind: ['queue bulk: 1 documents are not published yet'],
  });
  expect(changes).toBe(0);
  expect((await epochs.change(client, 'promote', { isForced: true })).isOk()).toBe(true);
  expect(changes).toBe(1);
  // Other commands wait for nothing.
  states = sampleEpochs(undefined, [[1, 'retained'], [2, 'serving']]); // prettier-ignore
  expect((await epochs.change(client, 'rollback')).isOk()).toBe(true);
});
