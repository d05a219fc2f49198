import type { ResultAsync } from 'neverthrow';
import {
  retrying,
  unavailable,
  type Backoff,
  type Clock,
  type Random,
  type Unavailable,
} from '../../kernel/index.ts';
import type { Conflict } from './commit-unit.ts';

export type RetryNeeds = {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: { readonly retry: Backoff };
};

/**
 * Runs `attempt`, which loads, decides and commits. Runs it again after a conflict or a lost answer, as often as the settings
 * allow; then the error names `what` was contended for.
 */
export const decideAndCommit = <T, E extends { readonly kind: string }>(
  what: string,
  { clock, random, settings }: RetryNeeds,
  attempt: () => ResultAsync<T, E | Conflict | Unavailable>,
): ResultAsync<T, Exclude<E, Conflict> | Unavailable> =>
  retrying(attempt, {
    clock,
    random,
    policy: settings.retry,
    isRetryable: (error) =>
      error.kind === 'Conflict' || (error.kind === 'Unavailable' && (error as Unavailable).retryable),
  }).mapErr((error): Exclude<E, Conflict> | Unavailable =>
    error.kind === 'Conflict'
      ? unavailable(`too many concurrent changes of ${what}`)
      : (error as Exclude<E, Conflict> | Unavailable),
  );
