import fc from 'fast-check';
import { err, errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import { expect, test } from 'vitest';
import { delayMs, retrying, type Backoff } from './backoff.ts';
import { unavailable, type Unavailable } from './errors.ts';
import { manualClock } from './testing/manual-clock.ts';
import { seededRandom } from './testing/seeded-random.ts';

const steady: Backoff = { firstMs: 100, factor: 2, maxMs: 1_000, jitter: 0 };
const never = { below: () => 0 };

test('[B1] without jitter the delays grow by the factor up to the bound', () => {
  expect([1, 2, 3, 4, 5, 6, 2_000].map((attempt) => delayMs(steady, attempt, never))).toEqual([
    100, 200, 400, 800, 1_000, 1_000, 1_000,
  ]);
});

test('[B1] jitter reduces a delay by at most its share and uses the whole share', () => {
  const anyPolicy = fc.record({
    firstMs: fc.nat(5_000),
    factor: fc.double({ min: 1, max: 4, noNaN: true }),
    maxMs: fc.integer({ min: 1, max: 100_000 }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(anyPolicy, fc.integer({ min: 1, max: 3_000 }), fc.nat(), (policy, attempt, seed) => {
      const full = delayMs(policy, attempt, never);
      const delay = delayMs(policy, attempt, seededRandom(seed));
      expect(Number.isInteger(delay)).toBe(true);
      expect(delay).toBeLessThanOrEqual(full);
      expect(delay).toBeGreaterThanOrEqual(Math.floor(full * (1 - policy.jitter)) - 1);
      expect(full).toBeLessThanOrEqual(policy.maxMs);
    }),
    { numRuns: 1_000 },
  );
  const random = seededRandom(1);
  const seen = Array.from({ length: 500 }, () => delayMs({ ...steady, jitter: 1 }, 1, random));
  expect([Math.min(...seen) < 5, Math.max(...seen) > 95]).toEqual([true, true]);
});

const setUp = (
  policy: Backoff,
  outcomes: readonly Result<string, Unavailable | { readonly kind: 'Refused' }>[],
) => {
  const { clock, advance, pending } = manualClock();
  const attemptsAt: number[] = [];
  const work = (attempt: number) => {
    attemptsAt.push(clock.nowMs());
    return new ResultAsync(Promise.resolve(outcomes[attempt - 1] ?? err(unavailable('still down'))));
  };
  return { clock, advance, pending, attemptsAt, work, needs: { clock, random: never, policy } };
};

test('[B1] repeats while the error is retryable, with the delays of the policy', async () => {
  const { advance, attemptsAt, work, needs } = setUp(steady, [
    err(unavailable('a')),
    err(unavailable('b')),
    ok('done'),
  ]);
  const seen: number[] = [];
  const outcome = retrying(work, { ...needs, onRetry: ({ delayMs: ms }) => seen.push(ms) });
  await advance(1_000);
  expect(await outcome).toEqual(ok('done'));
  expect([attemptsAt, seen]).toEqual([
    [0, 100, 300],
    [100, 200],
  ]);
});

test.each([
  ['a refusal', err({ kind: 'Refused' } as const)],
  ['an Unavailable that is not retryable', err(unavailable('gone', undefined, false))],
])('[B1] %s is not retried', async (_name, outcome) => {
  const { advance, attemptsAt, work, needs } = setUp(steady, [outcome]);
  const result = retrying(work, needs);
  await advance(5_000);
  expect(await result).toEqual(outcome);
  expect(attemptsAt).toEqual([0]);
});

test('[B1] stops after the last allowed attempt and returns its error', async () => {
  const { advance, attemptsAt, work, needs } = setUp({ ...steady, attemptsMax: 3 }, []);
  const result = retrying(work, needs);
  await advance(10_000);
  expect(await result).toEqual(err(unavailable('still down')));
  expect(attemptsAt).toEqual([0, 100, 300]);
});

test('[B1] gives up at once if the next delay would end after the deadline', async () => {
  const { advance, attemptsAt, work, needs, pending } = setUp(steady, []);
  const result = retrying(work, { ...needs, withinMs: 350 });
  await advance(300);
  expect(await result).toEqual(err(unavailable('still down')));
  expect([attemptsAt, pending()]).toEqual([[0, 100, 300], 0]);
});

test('[B1] an abort ends the delay and leaves no timer', async () => {
  const { advance, attemptsAt, work, needs, pending } = setUp(steady, []);
  const stop = new AbortController();
  const result = retrying(work, { ...needs, signal: stop.signal });
  await advance(150);
  stop.abort();
  expect(await result).toEqual(err(unavailable('still down')));
  expect([attemptsAt, pending()]).toEqual([[0, 100], 0]);
});

test('[B1] the caller can decide which errors are retryable', async () => {
  const { clock, advance } = manualClock();
  const flaky = (attempt: number) =>
    attempt < 3 ? errAsync({ kind: 'Conflict' } as const) : okAsync(attempt);
  const result = retrying(flaky, {
    clock,
    random: never,
    policy: steady,
    isRetryable: ({ kind }) => kind === 'Conflict',
  });
  await advance(1_000);
  expect(await result).toEqual(ok(3));
});
