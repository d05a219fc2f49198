import type { Logger } from '@doska/core/kernel';

/** What was opened and must be closed: in reverse order, each even if one before it fails. */
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
