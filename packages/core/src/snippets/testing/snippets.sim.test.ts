import { expect, test } from 'vitest';
import { okAsync } from 'neverthrow';
import { hunt, PORTFOLIO, simulationTest } from '../../kernel/testing.ts';
import { snippetsScenario, type SnippetsBug } from './snippets-scenario.ts';

for (const mode of ['plain', 'constrained'] as const)
  simulationTest(
    `[F8] [F9] snippets, ${mode}: acknowledged writes are seen, and every record of a topic is stored, superseded or dead`,
    snippetsScenario(mode),
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
                  ? { kind: 'written', version: { ms: env.clock.nowMs(), sequence: 0 }, rows: [] }
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
