import type { Proc, Request } from './process.ts';

/** Requests that were sent and not yet served. */
export class Wire {
  #seq = 0;
  #requests: Request[] = [];

  get isEmpty(): boolean {
    return this.#requests.length === 0;
  }

  send(request: Omit<Request, 'seq'>): void {
    this.#requests.push({ ...request, seq: this.#seq++ });
  }

  take(request: Request): void {
    this.#requests.splice(this.#requests.indexOf(request), 1);
  }

  /** Takes all requests of a process that dies. */
  takeOf(proc: Proc): Request[] {
    const taken = this.#requests.filter((request) => request.proc === proc);
    this.#requests = this.#requests.filter((request) => request.proc !== proc);
    return taken;
  }

  /**
   * What may be served now: not of a frozen process, and of one lane of one process only the oldest.
   * Index 0 continues the process that ran last, so the calm choice switches as rarely as possible.
   */
  runnable(isFrozen: (proc: Proc) => boolean, last: number): Request[] {
    const lanes = new Set<string>();
    const open: Request[] = [];
    for (const request of this.#requests) {
      const { proc, op } = request;
      if (proc && isFrozen(proc)) continue;
      if (proc && op.lane !== undefined) {
        const lane = `${proc.id}/${op.lane}`;
        if (lanes.has(lane)) continue;
        lanes.add(lane);
      }
      open.push(request);
    }
    const own = open.findIndex(({ process }) => process === last);
    if (own > 0) open.unshift(...open.splice(own, 1));
    return open;
  }
}
