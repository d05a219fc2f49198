import { expect, test } from 'vitest';
import { aborted, Signal } from './signal.ts';

test('a wait that was read before a notify ends, even if the caller awaits it later', async () => {
  const signal = new Signal();
  const { wait } = signal;
  signal.notify();
  await aborted(wait);
  expect(wait.aborted).toBe(true);
});
test('a wait that was read after a notify ends with the next notify', async () => {
  const signal = new Signal();
  signal.notify();
  const { wait } = signal;
  expect(wait.aborted).toBe(false);
  const woken = aborted(wait);
  signal.notify();
  await woken;
});
test('one notify wakes every waiting caller', async () => {
  const signal = new Signal();
  const waiting = [aborted(signal.wait), aborted(signal.wait), aborted(signal.wait)];
  signal.notify();
  await Promise.all(waiting);
});
