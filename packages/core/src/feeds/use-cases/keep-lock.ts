import type { ResultAsync } from 'neverthrow';
import { sleep, type Clock, type Unavailable } from '../../kernel/index.ts';
import type { LockLost } from '../domain/decide-run.ts';

export type LockKeeping = {
  readonly renew: () => ResultAsync<void, LockLost | Unavailable>;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/**
 * Renews a lock while the work goes on, however long a single step of it takes. A lost lock aborts the signal of the
 * work. A renewal that fails in passing is tried again at the next beat.
 */
export const whileKeepingLock = async <T>(
  { renew, everyMs, clock, signal }: LockKeeping,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const lost = new AbortController();
  const done = new AbortController();
  const beat = async (): Promise<void> => {
    for (;;) {
      await sleep(clock, everyMs, done.signal);
      if (done.signal.aborted) return;
      const renewed = await renew();
      if (renewed.isErr() && renewed.error.kind === 'LockLost') return lost.abort();
    }
  };
  const beating = beat();
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    done.abort();
    await beating;
  }
};
