import type { Cancel, Clock } from '@doska/core/kernel';
import { NoSession } from './status.ts';

type Waiting = { readonly start: () => void; readonly cancel: Cancel };
/** At most `max` callers at a time. A caller that waits longer than `waitMs`, or finds too many waiting, is refused. */
export class Slots {
  readonly #waiting: Waiting[] = [];
  #taken = 0;
  constructor(
    readonly clock: Clock,
    readonly limits: { readonly max: number; readonly waitMs: number; readonly waitingMax: number },
  ) {}

  async use<T>(work: () => Promise<T>): Promise<T> {
    await this.#take();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }
  #take(): Promise<void> {
    const { max, waitMs, waitingMax } = this.limits;
    if (this.#taken < max) {
      this.#taken++;
      return Promise.resolve();
    }
    if (this.#waiting.length >= waitingMax)
      return Promise.reject(new NoSession(`${waitingMax} wait for a session`));
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(new NoSession(`no session within ${waitMs} ms`));
      };
      const waiting = { start: resolve, cancel: this.clock.after(waitMs, giveUp) };
      this.#waiting.push(waiting);
    });
  }
  /** Gives the slot to the next waiting caller. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (!next) return void this.#taken--;
    next.cancel();
    next.start();
  }
}
