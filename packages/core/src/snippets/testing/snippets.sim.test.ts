import { expect, test } from 'vitest';
import { okAsync } from 'neverthrow';
import { hunt, PORTFOLIO, simulationTest } from '../../kernel/testing.ts';
import type { WriteOutcome } from '../store/stored-row.ts';
import { livesScenario, type LivesBug } from './lives-scenario.ts';
import { snippetsScenario, type SnippetsBug } from './snippets-scenario.ts';

for (const mode of ['plain', 'constrained'] as const)
  simulationTest(
    `[F8] [F9] snippets, ${mode}: acknowledged writes are seen, and every record of a topic is stored, superseded or dead`,
    snippetsScenario(mode),
  );

for (const mode of ['plain', 'constrained'] as const)
  simulationTest(
    `[F3] [F9] [F10] snippets, ${mode}: groups stay whole, and nothing deleted or expired comes back`,
    livesScenario(mode),
  );

const planted: readonly { readonly name: string; readonly law: RegExp; readonly bug: SnippetsBug }[] = [
  {
    name: 'a version from the clock of the server',
    law: /^acknowledged/,
    bug: {
      store: (right, env) => ({
        ...right,
        commit: (writes, options) =>
          right
            .commit(
              writes.map((write) =>
                write.record
                  ? write
                  : { ...write, record: { ms: env.clock.nowMs(), sequence: 0, source: 'server' } },
              ),
              options,
            )
            .map((outcomes) =>
              outcomes.map((outcome) =>
                outcome.kind === 'superseded'
                  ? { kind: 'written', version: { ms: env.clock.nowMs(), sequence: 0 }, atMs: 0, rows: [] }
                  : outcome,
              ),
            ),
      }),
    },
  },
  {
    name: 'a retry without the version of its record',
    law: /^version/,
    bug: {
      codecs: ({ retries, letters }) => ({
        letters,
        retries: {
          ...retries,
          decode: (bytes) =>
            retries.decode(bytes).map((retry) => ({
              ...retry,
              appendedMs: retry.notBeforeMs,
              position: { ...retry.position, offset: retry.position.offset + 1_000 },
            })),
        },
      }),
    },
  },
  {
    name: 'a position that moves before the retry is stored',
    law: /^liveness/,
    bug: { log: (right) => ({ ...right, publish: () => okAsync(undefined) }) },
  },
];
test.each(planted)('[F8] [F9] seeds find $name', async ({ bug, law }) => {
  const { found } = await hunt(snippetsScenario('plain', bug), PORTFOLIO, { count: 300 });
  expect(found?.outcome.failure).toMatch(law);
});

const isExpired = (
  { record, rows }: Parameters<Parameters<LivesBug>[0]['commit']>[0][number],
  nowMs: number,
): boolean => record !== undefined && rows.every(({ ttlMs }) => record.ms + (ttlMs ?? Infinity) <= nowMs);
const joined = (first: WriteOutcome, second: WriteOutcome): WriteOutcome =>
  first.kind === 'written' && second.kind === 'written'
    ? { ...first, rows: [...first.rows, ...second.rows] }
    : first;
const plantedLives: readonly { readonly name: string; readonly law: RegExp; readonly bug: LivesBug }[] = [
  {
    name: 'a group that is written in two commits',
    law: /^group/,
    bug: (right) => ({
      ...right,
      commit: (writes, options) =>
        right
          .commit(
            writes.map((write) => ({ ...write, rows: write.rows.slice(0, 1) })),
            options,
          )
          .andThen((first) =>
            right
              .commit(
                writes.map((write) => ({ ...write, rows: write.rows.slice(1) })),
                options,
              )
              .map((second) => first.map((one, i) => joined(one, second[i]!))),
          ),
    }),
  },
  {
    name: 'a tombstone that is purged too early',
    law: /^(older|lost)/,
    bug: (right) => ({
      ...right,
      purgeDue: (shard, { limit }) => right.purgeDue(shard, { tombstoneMs: 0, limit }),
    }),
  },
  {
    name: 'an expired record that leaves no tombstone',
    law: /^older/,
    bug: (right, nowMs) => ({
      ...right,
      commit: (writes, options) => {
        const kept = writes.filter((write) => !isExpired(write, nowMs()));
        return right.commit(kept, options).map((outcomes) => {
          const left = [...outcomes];
          return writes.map((write) =>
            kept.includes(write)
              ? left.shift()!
              : {
                  kind: 'written' as const,
                  version: write.record!,
                  atMs: nowMs(),
                  rows: write.rows.map(() => ({ kind: 'written' as const, wasLive: false })),
                },
          );
        });
      },
    }),
  },
];
test.each(plantedLives)('[F3] [F9] seeds find $name', async ({ bug, law }) => {
  const { found } = await hunt(livesScenario('plain', bug), PORTFOLIO, { count: 1_000 });
  expect(found?.outcome.failure).toMatch(law);
});
