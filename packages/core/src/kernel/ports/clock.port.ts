export type Cancel = () => void;

/** The clock of one process. Do not use it to decide whether another member's lease has expired. */
export interface Clock {
  /** Milliseconds since the epoch. May jump backwards. */
  nowMs(): number;
  /** Runs `work` once, `ms` from now or later. `Cancel` prevents the run. */
  after(ms: number, work: () => void): Cancel;
}

/** Resolves after `ms`, or at once when `signal` aborts. It never rejects, so check the signal afterwards. */
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
