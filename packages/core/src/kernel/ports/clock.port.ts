export type Cancel = () => void;

/** Time as one process sees it. Nobody judges another member's lease by it. */
export interface Clock {
  /** Milliseconds since the epoch. May jump backwards. */
  nowMs(): number;
  /** Runs `work` once, not before `ms` have passed, unless it was cancelled. */
  after(ms: number, work: () => void): Cancel;
}

/** Resolves after `ms`, or at once when `signal` aborts: the caller looks at the signal, not at an exception. */
export const sleep = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = (): void => {
      signal?.removeEventListener('abort', wake);
      cancel();
      resolve();
    };
    const cancel = clock.after(ms, wake);
    signal?.addEventListener('abort', wake);
  });
