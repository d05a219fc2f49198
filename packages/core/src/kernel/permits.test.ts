import { expect, test } from 'vitest';
import { makePermits } from './permits.ts';

test('[X12] at most the given number of works run at a time, in the order in which they came', async () => {
  const permits = makePermits(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const works = [0, 1, 2, 3].map((n) =>
    permits(() => {
      started.push(n);
      return new Promise<void>((resolve) => (ends[n] = resolve));
    }),
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(started).toEqual([0, 1]);
  ends[1]!();
  await settle();
  expect(started).toEqual([0, 1, 2]);
  ends[0]!();
  ends[2]!();
  await settle();
  expect(started).toEqual([0, 1, 2, 3]);
  ends[3]!();
  await Promise.all(works);
});
test('[X12] a work that fails gives its permit back', async () => {
  const permits = makePermits(1);
  await expect(permits(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await permits(() => Promise.resolve(1))).toBe(1);
});
