import type { Proc } from './process.ts';

/** `owner` is the process whose life it belongs to; a timer without one is the world's own (a restart, a late message). */
export type Timer = {
  atMs: number;
  readonly seq: number;
  readonly owner: Proc | undefined;
  readonly what: string;
  readonly fire: () => void;
};

/** Virtual time: it moves when the world says so. */
export class Timeline {
  nowMs = 0;
  #seq = 0;
  #timers: Timer[] = [];

  add(ms: number, owner: Proc | undefined, what: string, fire: () => void): Timer {
    const timer = { atMs: this.nowMs + ms, seq: this.#seq++, owner, what, fire };
    this.#timers.push(timer);
    return timer;
  }

  /** Removing a timer that fired or was removed before is no event. */
  remove(timer: Timer): void {
    const at = this.#timers.indexOf(timer);
    if (at >= 0) this.#timers.splice(at, 1);
  }

  removeOf(owner: Proc): void {
    this.#timers = this.#timers.filter((timer) => timer.owner !== owner);
  }

  /** The earliest; of equals, the one that was set first. */
  next(): Timer | undefined {
    let best: Timer | undefined;
    for (const timer of this.#timers) {
      if (!best || timer.atMs < best.atMs || (timer.atMs === best.atMs && timer.seq < best.seq)) best = timer;
    }
    return best;
  }

  firstOfWorld(): Timer | undefined {
    return this.#timers.find(({ owner }) => owner === undefined);
  }

  /** Comes back at `atMs`, behind what is already set for that moment. */
  postpone(timer: Timer, atMs: number): void {
    this.remove(timer);
    timer.atMs = atMs;
    this.#timers.push(timer);
  }
}
