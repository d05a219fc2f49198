import { delayMs, type Backoff } from '../backoff.ts';
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
  readonly #over = new AbortController();
  #running: Promise<void> | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  add(commit: PositionCommit): void {
    this.#pending.set(commit.partition, commit);
    this.#running ??= this.#drain().finally(() => (this.#running = undefined));
  }

  /** A partition that was lost has nothing left to say. */
  forget(partition: number): void {
    this.#pending.delete(partition);
  }

  /** Tries no more; what could not be committed is delivered again to whoever comes next. */
  close(): void {
    this.#over.abort();
    this.#pending.clear();
  }

  /** Resolves when nothing is waiting or in flight. */
  async flushed(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #drain(): Promise<void> {
    const { storage, clock, random, logger, retry, group, topic, onLost } = this.#needs;
    for (let attempt = 0; this.#pending.size > 0;) {
      const commits = [...this.#pending.values()];
      this.#pending.clear();
      const outcome = await storage.commit(group, topic, commits);
      if (outcome.isOk()) {
        attempt = 0;
        for (const partition of outcome.value)
          onLost(partition, commits.find((commit) => commit.partition === partition)?.token ?? 0);
        continue;
      }
      logger.warn('positions not committed yet', { group, topic, error: outcome.error });
      for (const commit of commits)
        if (!this.#pending.has(commit.partition)) this.#pending.set(commit.partition, commit);
      await sleep(clock, delayMs(retry, ++attempt, random), this.#over.signal);
    }
  }
}
