import { err, type Result } from 'neverthrow';
import { delayMs, type Backoff } from './backoff.ts';
import { sleep, type Clock } from './ports/clock.port.ts';
import type { Random } from './ports/random.port.ts';

export type Aborted = { readonly kind: 'Aborted' };
export type RetryUntilAborted<E> = {
  readonly clock: Clock;
  readonly random: Random;
  /** `attemptsMax` is not looked at: only the signal ends the retrying. */
  readonly policy: Backoff;
  readonly signal: AbortSignal;
  /** Called after every failed attempt, before the pause. */
  readonly onFailure?: (error: E, attempt: number) => void | Promise<void>;
};

/** Repeats `work` until it succeeds or the signal aborts. Only for work that may be done twice. */
export const retryUntilAborted = async <T, E>(
  work: (attempt: number) => PromiseLike<Result<T, E>>,
  { clock, random, policy, signal, onFailure }: RetryUntilAborted<E>,
): Promise<Result<T, Aborted>> => {
  for (let attempt = 1; ; attempt++) {
    const outcome = await work(attempt);
    if (outcome.isOk()) return outcome as Result<T, never>;
    if (!signal.aborted) await onFailure?.(outcome.error, attempt);
    if (!signal.aborted) await sleep(clock, delayMs(policy, attempt, random), signal);
    if (signal.aborted) return err({ kind: 'Aborted' });
  }
};
