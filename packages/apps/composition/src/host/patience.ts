import { retrying, type Backoff, type Clock, type Logger, type Random } from '@doska/core/kernel';
import { ResultAsync, type Result } from 'neverthrow';
import { startProblem, type StartProblem } from './problem.ts';

export type Patience = {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** How long a service that is away is waited for (DOSKA_START_WAIT_MS). */
  readonly withinMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
};

const BACKOFF: Backoff = { firstMs: 200, factor: 1.5, maxMs: 3_000, jitter: 0.2 };

/** Tries again while a service that the process needs is away. Says so once. Every other problem is returned at once. */
export const patiently = async <T>(
  attempt: () => Promise<Result<T, StartProblem>>,
  { withinMs, logger, clock, random, signal }: Patience,
): Promise<Result<T, StartProblem>> => {
  const outcome = await retrying(() => new ResultAsync(attempt()), {
    clock,
    random,
    policy: BACKOFF,
    withinMs,
    isRetryable: ({ passes }) => passes === true,
    onRetry: ({ attempt: count, error }) => {
      if (count === 1) logger.warn(`${error.lines.join(' ')} Waiting up to ${withinMs / 1_000} s for it.`);
    },
    ...(signal === undefined ? {} : { signal }),
  });
  return outcome.mapErr((problem) =>
    problem.passes && !signal?.aborted
      ? startProblem(...problem.lines, `Gave up after ${withinMs / 1_000} s (DOSKA_START_WAIT_MS).`)
      : problem,
  );
};
