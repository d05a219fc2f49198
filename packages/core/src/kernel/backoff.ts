import { ResultAsync, type Result } from 'neverthrow';
import type { Unavailable } from './errors.ts';
import { sleep, type Clock } from './ports/clock.port.ts';
import type { Random } from './ports/random.port.ts';

/** How patient somebody is, as data: it stands in configuration and in a test's table. */
export type Backoff = {
  readonly firstMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** The share of a delay, 0 to 1, that chance may take away: 0 is a metronome, 1 spreads a crowd best. */
  readonly jitter: number;
  /** Attempts in all, the first included. Absent: no bound. */
  readonly attemptsMax?: number;
};

/** The pause after the failed attempt number `attempt` (from 1): at most `maxMs`, at least its unjittered share. */
export const delayMs = (policy: Backoff, attempt: number, random: Random): number => {
  const growth = policy.factor ** (attempt - 1);
  const fullMs = policy.firstMs === 0 ? 0 : Math.min(policy.maxMs, policy.firstMs * growth);
  return Math.floor(fullMs) - random.below(Math.floor(fullMs * policy.jitter) + 1);
};

export type Retries<E> = {
  readonly clock: Clock;
  readonly random: Random;
  readonly policy: Backoff;
  /** By default: `Unavailable` that says so. */
  readonly isRetryable?: (error: E) => boolean;
  /** No pause is begun that would end later than this after the first attempt. */
  readonly withinMs?: number;
  /** An abort ends the pause and the retrying; stopping an attempt under way is the attempt's own matter. */
  readonly signal?: AbortSignal;
  readonly onRetry?: (failed: {
    readonly attempt: number;
    readonly error: E;
    readonly delayMs: number;
  }) => void;
};

const saysRetryable = (error: unknown): boolean => {
  const { kind, retryable } = (error ?? {}) as Partial<Unavailable>;
  return kind === 'Unavailable' && retryable === true;
};

/**
 * Repeats `work` while its error is retryable and the bounds allow; the last outcome is the outcome.
 * `work` runs at least once. Only for work that may be done twice: a lost answer looks like a failure.
 */
export const retrying = <T, E>(
  work: (attempt: number) => ResultAsync<T, E>,
  { clock, random, policy, isRetryable = saysRetryable, withinMs = Infinity, signal, onRetry }: Retries<E>,
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
