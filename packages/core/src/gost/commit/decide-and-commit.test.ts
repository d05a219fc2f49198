import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { unavailable, type Unavailable } from '../../kernel/index.ts';
import { manualClock, seededRandom } from '../../kernel/testing.ts';
import { defaultGostSettings } from '../settings.ts';
import type { Conflict } from './commit-unit.ts';
import { decideAndCommit } from './decide-and-commit.use-case.ts';

type Attempt = ResultAsync<string, { readonly kind: 'NotFound' } | Conflict | Unavailable>;
const conflict: Conflict = { kind: 'Conflict' };
const run = async (attemptOf: (n: number) => Attempt) => {
  const time = manualClock(0);
  let tries = 0;
  const needs = { clock: time.clock, random: seededRandom(1), settings: defaultGostSettings };
  const done = decideAndCommit('this feed', needs, () => attemptOf(++tries));
  await time.advance(60_000);
  return { outcome: await done, tries: () => tries };
};

test('[G1] a conflict and a lost answer are decided again', async () => {
  const { outcome, tries } = await run((n) => {
    if (n === 1) return errAsync(conflict);
    return n === 2 ? errAsync(unavailable('lost')) : okAsync('done');
  });
  expect(outcome._unsafeUnwrap()).toBe('done');
  expect(tries()).toBe(3);
});
test('[G1] after too many conflicts the error names what was contended for', async () => {
  const { outcome, tries } = await run(() => errAsync(conflict));
  expect(outcome._unsafeUnwrapErr()).toEqual(unavailable('too many concurrent changes of this feed'));
  expect(tries()).toBe(8);
});
test.each([
  ['a refusal', { kind: 'NotFound' } as const],
  ['an error that will come again', unavailable('bad row', undefined, false)],
])('[G1] %s is returned at once', async (_, error) => {
  const { outcome, tries } = await run(() => errAsync(error));
  expect(outcome._unsafeUnwrapErr()).toEqual(error);
  expect(tries()).toBe(1);
});
