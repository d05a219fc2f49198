/** `owner` is whose life it belongs to; a timer without one is the world's own (a restart, a late message). */
export type Timer<Owner> = {
  atMs: number;
  readonly seq: number;
  readonly owner: Owner | undefined;
  readonly what: string;
  readonly fire: () => void;
};

/** Virtual time: it moves when the world says so. */
export class Timeline<Owner> {
  nowMs = 0;
  #seq = 0;
  #timers: Timer<Owner>[] = [];

  add(ms: number, owner: Owner | undefined, what: string, fire: () => void): Timer<Owner> {
    const timer = { atMs: this.nowMs + ms, seq: this.#seq++, owner, what, fire };
    this.#timers.push(timer);
    return timer;
  }

  /** Removing a timer that fired or was removed before is no event. */
  remove(timer: Timer<Owner>): void {
    const at = this.#timers.indexOf(timer);
    if (at >= 0) this.#timers.splice(at, 1);
  }

  removeOf(owner: Owner): void {
    this.#timers = this.#timers.filter((timer) => timer.owner !== owner);
  }

  /** The earliest; of equals, the one that was set first. */
  next(): Timer<Owner> | undefined {
    let best: Timer<Owner> | undefined;
    for (const timer of this.#timers) {
      if (!best || timer.atMs < best.atMs || (timer.atMs === best.atMs && timer.seq < best.seq)) best = timer;
    }
    return best;
  }

  firstOfWorld(): Timer<Owner> | undefined {
    return this.#timers.find(({ owner }) => owner === undefined);
  }

  /** Comes back at `atMs`, behind what is already set for that moment. */
  postpone(timer: Timer<Owner>, atMs: number): void {
    this.remove(timer);
    timer.atMs = atMs;
    this.#timers.push(timer);
  }
}
