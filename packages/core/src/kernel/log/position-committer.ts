import { ok, type Result } from 'neverthrow';
import type { Backoff } from '../backoff.ts';
import type { Unavailable } from '../errors.ts';
import { limitRepeats } from '../limit-repeats.ts';
import { retryUntilAborted } from '../retry-until-aborted.ts';
import { aborted, Signal } from '../signal.ts';
import type { Clock } from '../ports/clock.port.ts';
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
  /** Called when another member owns the partition. */
  readonly onLost: (partition: number, token: number) => void;
};

/** Commits positions of many partitions together. One commit is in flight; the next one has the newest position of each. */
export class PositionCommitter {
  readonly #needs: Needs;
  readonly #failures: Logger;
  readonly #pending = new Map<number, PositionCommit>();
  readonly #inFlight = new Map<number, PositionCommit>();
  readonly #over = new AbortController();
  /** Notified after a commit, a `forget` and a `close`. */
  readonly #changed = new Signal();
  #draining = false;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#failures = limitRepeats(needs.logger, needs.clock);
  }

  add(commit: PositionCommit): void {
    if (this.#over.signal.aborted) return;
    this.#pending.set(commit.partition, commit);
    if (!this.#draining) void this.#drain();
  }

  /** Drops the pending position of a lost partition. */
  forget(partition: number): void {
    this.#pending.delete(partition);
    this.#inFlight.delete(partition);
    this.#changed.notify();
  }

  /** Stops retrying. Positions that were not committed lead to a redelivery to the next owner. */
  close(): void {
    this.#over.abort();
    this.#pending.clear();
    this.#inFlight.clear();
    this.#changed.notify();
  }

  /** Resolves when no position of this partition is pending or in flight. Other partitions do not delay it. */
  async flushed(partition: number): Promise<void> {
    while (this.#pending.has(partition) || this.#inFlight.has(partition)) await aborted(this.#changed.wait);
  }

  async #drain(): Promise<void> {
    const { clock, random, retry, group, topic } = this.#needs;
    this.#draining = true;
    while (this.#pending.size > 0)
      await retryUntilAborted(() => this.#commitPending(), {
        clock,
        random,
        policy: retry,
        signal: this.#over.signal,
        onFailure: (error) =>
          this.#failures.warn('positions not committed yet; trying again', { group, topic, error }),
      });
    this.#draining = false;
  }
  /** Commits what is pending now: after a failure the newest positions and not the failed ones. */
  async #commitPending(): Promise<Result<void, Unavailable>> {
    const { storage, group, topic, onLost } = this.#needs;
    const commits = [...this.#pending.values()];
    if (commits.length === 0) return ok(undefined); // all were forgotten during the pause
    this.#pending.clear();
    for (const commit of commits) this.#inFlight.set(commit.partition, commit);
    const outcome = await storage.commit(group, topic, commits);
    // Does not retry forgotten partitions or positions that have a newer one.
    for (const [partition, commit] of this.#inFlight)
      if (outcome.isErr() && !this.#pending.has(partition)) this.#pending.set(partition, commit);
    this.#inFlight.clear();
    this.#changed.notify();
    return outcome.map((lost) => {
      for (const partition of lost)
        onLost(partition, commits.find((commit) => commit.partition === partition)?.token ?? 0);
    });
  }
}
