import { ResultAsync, type Result } from 'neverthrow';
import type { Unavailable } from './errors.ts';
import { sleep, type Clock } from './ports/clock.port.ts';
import type { Random } from './ports/random.port.ts';

/** A retry policy as data, for configuration and tests. */
export type Backoff = {
  readonly firstMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** The share of a delay, from 0 to 1, that is randomised. 0 gives fixed delays; 1 spreads many callers best. */
  readonly jitter: number;
  /** All attempts including the first. Absent: no limit. */
  readonly attemptsMax?: number;
};

/** The delay after failed attempt `attempt` (from 1): at most `maxMs`, and never less than the share without jitter. */
export const delayMs = (policy: Backoff, attempt: number, random: Random): number => {
  const growth = policy.factor ** (attempt - 1);
  const fullMs = policy.firstMs === 0 ? 0 : Math.min(policy.maxMs, policy.firstMs * growth);
  return Math.floor(fullMs) - random.below(Math.floor(fullMs * policy.jitter) + 1);
};

export type Retries<E> = {
  readonly clock: Clock;
  readonly random: Random;
  readonly policy: Backoff;
  /** By default: `Unavailable` with `retryable: true`. */
  readonly isRetryable?: (error: E) => boolean;
  /** Gives up if the next delay would end later than this after the first attempt. */
  readonly withinMs?: number;
  /** An abort ends the delay and the retries. A running attempt must watch the signal itself. */
  readonly signal?: AbortSignal;
  readonly onRetry?: (failed: {
    readonly attempt: number;
    readonly error: E;
    readonly delayMs: number;
  }) => void;
};

const isMarkedRetryable = (error: unknown): boolean => {
  const { kind, retryable } = (error ?? {}) as Partial<Unavailable>;
  return kind === 'Unavailable' && retryable === true;
};

/**
 * Repeats `work` while its error is retryable and the limits allow. Returns the last outcome. `work` runs at least once.
 * Use it only for work that may run twice: after a lost answer the work was done but looks failed.
 */
export const retrying = <T, E>(
  work: (attempt: number) => ResultAsync<T, E>,
  {
    clock,
    random,
    policy,
    isRetryable = isMarkedRetryable,
    withinMs = Infinity,
    signal,
    onRetry,
  }: Retries<E>,
): ResultAsync<T, E> => {
  const run = async (): Promise<Result<T, E>> => {
    const startedMs = clock.nowMs();
    for (let attempt = 1; ; attempt++) {
      const outcome = await work(attempt);
      if (outcome.isOk() || !isRetryable(outcome.error)) return outcome;
      if (attempt >= (policy.attemptsMax ?? Infinity) || signal?.aborted) return outcome;
      const pauseMs = delayMs(policy, attempt, random);
      if (clock.nowMs() - startedMs + pauseMs > withinMs) return outcome;
      onRetry?.({ attempt, error: outcome.error, delayMs: pauseMs });
      await sleep(clock, pauseMs, signal);
      if (signal?.aborted) return outcome;
    }
  };
  return new ResultAsync(run());
};
