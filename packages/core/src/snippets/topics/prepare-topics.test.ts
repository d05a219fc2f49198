import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import type { LogAdmin, TopicInfo, TopicSpec } from '../../kernel/index.ts';
import { prepareTopics } from './prepare-topics.use-case.ts';

const spec = (name: string, partitions = 4): TopicSpec => ({
  name,
  partitions,
  retentionMs: 1_000,
  recordBytesMax: 1_000,
});
const input = { section: 's', topic: 'in', format: 'json', extractor: 'json_id', retries: 0 } as const;
const logWith = (...existing: readonly TopicInfo[]) => {
  const made: TopicSpec[] = [];
  const log: Pick<LogAdmin, 'topics' | 'ensureTopics'> = {
    topics: () => okAsync(existing),
    ensureTopics: (specs) => {
      made.push(...specs);
      return okAsync([]);
    },
  };
  return { log, made };
};

test('[F8] missing topics are made, with room for what their records carry', async () => {
  const { log, made } = logWith();
  await prepareTopics(log, [input, { ...input, section: 't' }], spec);
  expect(made.map(({ name }) => name)).toEqual([
    'in',
    'in.dead',
    'snippets-retries',
    'snippets-retries.dead',
  ]);
  expect(made[2]!.recordBytesMax).toBeGreaterThan(made[0]!.recordBytesMax);
});
test('[F8] a topic that exists keeps its number of partitions', async () => {
  const { log, made } = logWith({ ...spec('in', 7), log: 'x', times: 'log' });
  await prepareTopics(log, [input], spec);
  expect(made.map(({ name, partitions }) => [name, partitions])).toEqual([
    ['in.dead', 7],
    ['snippets-retries', 4],
    ['snippets-retries.dead', 4],
  ]);
});
test('[F8] a topic whose records have the times of their publishers is refused, and nothing is made', async () => {
  const { log, made } = logWith({ ...spec('in'), log: 'x', times: 'publisher' });
  const refused = await prepareTopics(log, [input], spec);
  expect(refused._unsafeUnwrapErr()).toEqual({ kind: 'PublisherTimes', section: 's', topic: 'in' });
  expect(made).toEqual([]);
});
test('[F8] without topics the log is not asked', async () => {
  const { made } = logWith();
  const untouched = undefined as unknown as LogAdmin;
  expect((await prepareTopics(untouched, [], spec)).isOk()).toBe(true);
  expect(made).toEqual([]);
});
