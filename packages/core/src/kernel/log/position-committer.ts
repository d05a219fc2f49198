import { delayMs, type Backoff } from '../backoff.ts';
import { aborted, Bell } from '../bell.ts';
import { sleep, type Clock } from '../ports/clock.port.ts';
import type { LogStorage, PositionCommit } from '../ports/log-storage.port.ts';
import type { Random } from '../ports/random.port.ts';
import type { Logger } from '../ports/telemetry.port.ts';

type Needs = {
  readonly storage: Pick<LogStorage, 'commit'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly retry: Backoff;
  readonly group: string;
  readonly topic: string;
  /** Somebody else owns the partition now. */
  readonly onLost: (partition: number, token: number) => void;
};

/** Positions of many partitions, written together: one commit in flight, always the newest position of each. */
export class PositionCommitter {
  readonly #needs: Needs;
  readonly #pending = new Map<number, PositionCommit>();
  readonly #inFlight = new Map<number, PositionCommit>();
  readonly #over = new AbortController();
  /** Rings when something was committed, forgotten or given up. */
  readonly #bell = new Bell();
  #draining = false;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  add(commit: PositionCommit): void {
    if (this.#over.signal.aborted) return;
    this.#pending.set(commit.partition, commit);
    if (!this.#draining) void this.#drain();
  }

  /** A partition that was lost has nothing left to say. */
  forget(partition: number): void {
    this.#pending.delete(partition);
    this.#inFlight.delete(partition);
    this.#bell.ring();
  }

  /** Tries no more; what could not be committed is delivered again to whoever comes next. */
  close(): void {
    this.#over.abort();
    this.#pending.clear();
    this.#inFlight.clear();
    this.#bell.ring();
  }

  /** Resolves when nothing of this partition is waiting or in flight, however busy the others are. */
  async flushed(partition: number): Promise<void> {
    while (this.#pending.has(partition) || this.#inFlight.has(partition)) await aborted(this.#bell.nap);
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    for (let attempt = 0; this.#pending.size > 0;) {
      const commits = [...this.#pending.values()];
      this.#pending.clear();
      for (const commit of commits) this.#inFlight.set(commit.partition, commit);
      const committed = await this.#commit(commits);
      attempt = committed ? 0 : attempt + 1;
      // What was forgotten meanwhile is not tried again, nor what has a newer position.
      for (const [partition, commit] of this.#inFlight)
        if (!committed && !this.#pending.has(partition)) this.#pending.set(partition, commit);
      this.#inFlight.clear();
      this.#bell.ring();
      const { clock, random, retry } = this.#needs;
      if (!committed) await sleep(clock, delayMs(retry, attempt, random), this.#over.signal);
    }
    this.#draining = false;
  }
  async #commit(commits: readonly PositionCommit[]): Promise<boolean> {
    const { storage, logger, group, topic, onLost } = this.#needs;
    const outcome = await storage.commit(group, topic, commits);
    if (outcome.isErr()) {
      logger.warn('positions not committed yet', { group, topic, error: outcome.error });
      return false;
    }
    for (const partition of outcome.value)
      onLost(partition, commits.find((commit) => commit.partition === partition)?.token ?? 0);
    return true;
  }
}
