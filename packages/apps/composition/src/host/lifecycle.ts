import type { Logger } from '@doska/core/kernel';

/** Closes what was opened, in reverse order. If one fails to close, the others are still closed. */
export class Lifecycle {
  readonly #open: { readonly name: string; readonly close: () => Promise<void> }[] = [];

  /** `close` is called once, after everything that was opened later is closed. */
  add(name: string, close: () => Promise<void>): void {
    this.#open.push({ name, close });
  }

  async close(logger: Logger): Promise<void> {
    for (let last = this.#open.pop(); last; last = this.#open.pop()) {
      const { name, close } = last;
      await close().catch((error: unknown) => logger.error('did not close cleanly', { name, error }));
    }
  }
}
