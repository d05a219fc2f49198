/**
 * Wakes waiting callers. Read `wait` before you look at the state you act on. A `notify` after that look then aborts the
 * signal you hold, so no change is missed.
 */
export class Signal {
  #wait = new AbortController();

  /** An abort signal that aborts at the next `notify`. */
  get wait(): AbortSignal {
    return this.#wait.signal;
  }

  /** Wakes every caller that holds the current `wait`. */
  notify(): void {
    const waiting = this.#wait;
    this.#wait = new AbortController();
    waiting.abort();
  }
}

/** Resolves when the signal aborts, or at once if it has aborted already. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );
