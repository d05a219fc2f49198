import { manualClock } from '@doska/core/kernel/testing';
import { err, ok } from 'neverthrow';
import { expect, test } from 'vitest';
import { seconds } from './duration.ts';
import { EXIT, problem, type CommandResult } from './outcome.ts';
import { awaited, watched } from './repeat.ts';

const good: CommandResult = ok({ value: 'good', text: 'good' });
const troubled: CommandResult = ok({ value: 'troubled', text: 'troubled', exitCode: EXIT.trouble });
const away: CommandResult = err(problem('no answer', EXIT.unavailable));

const asked = (...answers: readonly CommandResult[]) => {
  let count = 0;
  const ask = async (): Promise<CommandResult> => answers[Math.min(count++, answers.length - 1)]!;
  return { ask, count: () => count };
};
const setting = () => ({ ...manualClock(), stop: new AbortController() });

test.each([
  ['at once', [good], good, 1],
  ['after the platform answers', [away, away, good], good, 3],
  ['after what was wrong is right', [troubled, good], good, 2],
  ['with the last answer when the time is up', [away], away, 21],
] as const)('[H8] waiting ends %s', async (_, answers, expected, times) => {
  const { clock, advance, stop } = setting();
  const { ask, count } = asked(...answers);
  const waiting = awaited(ask, 10_000, { clock, signal: stop.signal });
  let result: CommandResult | undefined;
  void waiting.then((one) => (result = one));
  for (let i = 0; i < 100 && !result; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    await advance(500);
  }
  expect(result).toBe(expected);
  expect(count()).toBe(times);
});
test('[H8] watching shows every answer until it is stopped', async () => {
  const { clock, advance, stop } = setting();
  const shown: CommandResult[] = [];
  const { ask } = asked(good, away, troubled);
  const watching = watched(ask, 2_000, { clock, signal: stop.signal }, (one) => void shown.push(one));
  for (let i = 0; i < 20 && shown.length < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    await advance(2_000);
  }
  stop.abort();
  await watching;
  expect(shown.slice(0, 3)).toEqual([good, away, troubled]);
});

test.each([
  ['5s', 5],
  ['2m', 120],
  ['1h', 3_600],
  ['7d', 604_800],
  ['5', undefined],
  ['', undefined],
  ['-1s', undefined],
])('[H8] the time %j is %j seconds', (text, expected) => {
  expect(seconds(text)).toBe(expected);
});
