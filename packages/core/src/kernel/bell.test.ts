import { expect, test } from 'vitest';
import { aborted, Bell } from './bell.ts';

test('a nap taken before a ring ends with it, however late somebody waits for it', async () => {
  const bell = new Bell();
  const { nap } = bell;
  bell.ring();
  await aborted(nap);
  expect(nap.aborted).toBe(true);
});
test('a nap taken after a ring sleeps until the next one', async () => {
  const bell = new Bell();
  bell.ring();
  const { nap } = bell;
  expect(nap.aborted).toBe(false);
  const woken = aborted(nap);
  bell.ring();
  await woken;
});
test('one ring wakes everybody', async () => {
  const bell = new Bell();
  const nappers = [aborted(bell.nap), aborted(bell.nap), aborted(bell.nap)];
  bell.ring();
  await Promise.all(nappers);
});
