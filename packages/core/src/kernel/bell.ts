/**
 * Wakes whoever naps. Take `nap` before you look at the state you act on: a ring after that look is then never missed.
 */
export class Bell {
  #nap = new AbortController();

  /** Aborts at the next ring. */
  get nap(): AbortSignal {
    return this.#nap.signal;
  }

  ring(): void {
    const napping = this.#nap;
    this.#nap = new AbortController();
    napping.abort();
  }
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );
