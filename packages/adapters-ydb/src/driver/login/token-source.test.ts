import { expect, test } from 'vitest';
import { silentTelemetry } from '@doska/core/kernel';
import { manualClock } from '@doska/core/kernel/testing';
import { LoginFailed } from './login-failed.ts';
import { makeTokenSource, type FreshToken } from './token-source.ts';

const made = (answers: readonly (FreshToken | Error)[]) => {
  const { clock, advance } = manualClock();
  let asked = 0;
  const source = makeTokenSource({
    clock,
    logger: silentTelemetry.logger,
    waitMs: 100,
    pauseMs: 10,
    fetch: async () => {
      const answer = answers[asked++];
      if (answer === undefined) return new Promise<never>(() => {});
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { advance, source, asked: () => asked };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));
const token = (name: string): FreshToken => ({ token: name, refreshMs: 50, validMs: 100 });

test('[X16] callers at the same time share one fetch', async () => {
  const { source, asked } = made([token('a')]);
  expect(await Promise.all([source.get(), source.get(), source.get()])).toEqual(['a', 'a', 'a']);
  expect(asked()).toBe(1);
});
test('[X16] a token is renewed at its refresh time, and callers get the old one meanwhile', async () => {
  const { advance, source, asked } = made([token('a'), token('b')]);
  expect(await source.get()).toBe('a');
  await advance(49);
  expect([await source.get(), asked()]).toEqual(['a', 1]);
  await advance(1);
  expect([await source.get(), asked()]).toEqual(['a', 2]);
  await settled();
  expect(await source.get()).toBe('b');
});
test('[X16] a token is used until the end of its life while it cannot be renewed, with a pause between attempts', async () => {
  const { advance, source, asked } = made([token('a'), new Error('away'), new Error('away'), token('b')]);
  await source.get();
  await advance(50);
  expect(await source.get()).toBe('a');
  await settled();
  await advance(9);
  expect([await source.get(), asked()]).toEqual(['a', 2]);
  await advance(1);
  expect([await source.get(), asked()]).toEqual(['a', 3]);
  await settled();
  await advance(39);
  await advance(1);
  expect(await source.get()).toBe('b');
});
test('[X16] a fetch that fails or does not end is LoginFailed', async () => {
  const { advance, source } = made([new Error('away')]);
  await expect(source.get()).rejects.toThrow(new LoginFailed(new Error('away')));
  const waiting = expect(source.get()).rejects.toThrow(LoginFailed);
  await advance(100);
  await waiting;
});
test('[X16] a refused token is forgotten, but a token that is new is not asked for again at once', async () => {
  const { advance, source, asked } = made([token('a'), token('b')]);
  await source.get();
  source.forget();
  expect([await source.get(), asked()]).toEqual(['a', 1]);
  await advance(10);
  source.forget();
  expect([await source.get(), asked()]).toEqual(['b', 2]);
});
