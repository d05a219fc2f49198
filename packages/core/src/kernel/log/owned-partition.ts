import { delayMs, type Backoff } from '../backoff.ts';
import { unreachable } from '../errors.ts';
import { sleep, type Cancel, type Clock } from '../ports/clock.port.ts';
import type { BatchHandler, BatchOutcome, Delivered } from '../ports/message-log.port.ts';
import type { Random } from '../ports/random.port.ts';
import type { Logger } from '../ports/telemetry.port.ts';

type Needs = {
  readonly topic: string;
  readonly partition: number;
  readonly token: number;
  readonly handler: BatchHandler;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly retry: Backoff;
  /** Told when a record blocks the partition, and when the partition is free or no longer ours. */
  readonly onBlocked?: (blocked: {
    readonly offset: number;
    readonly key: string;
    readonly reason: string;
  }) => void;
  readonly onUnblocked?: () => void;
  /** Called when the position moved. */
  readonly onMoved: (offset: number) => void;
  /** Called when the partition may take the next batch. */
  readonly onFree: () => void;
};

/** The pause behind a batch of which nothing was handled. */
const AGAIN_MS = 1;

/** One partition of one member. It handles one batch at a time, in order, and blocks without delaying other partitions. */
export class OwnedPartition {
  readonly token: number;
  readonly partition: number;
  readonly #needs: Needs;
  readonly #lost = new AbortController();
  #offset: number;
  #running: Promise<void> | undefined;
  #closing = false;
  #failures = 0;
  #unblock: Cancel | undefined;

  constructor(needs: Needs, offset: number) {
    this.#needs = needs;
    this.token = needs.token;
    this.partition = needs.partition;
    this.#offset = offset;
  }

  get offset(): number {
    return this.#offset;
  }
  /** Whether it can take the next batch. */
  get ready(): boolean {
    return !this.#closing && this.#running === undefined && this.#unblock === undefined;
  }

  give(records: readonly Delivered[]): void {
    this.#running = this.#handle(records).finally(() => {
      this.#running = undefined;
      this.#needs.onFree();
    });
  }
  /** Aborts the handler's signal and ignores its outcome. */
  lose(): void {
    this.#needs.onUnblocked?.();
    this.#closing = true;
    this.#lost.abort();
  }
  /** Takes no more batches; resolves when the running handler has finished. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#needs.onUnblocked?.();
    this.#unblock?.();
    await this.#running;
  }

  async #handle(records: readonly Delivered[]): Promise<void> {
    for (let rest = records; rest.length > 0 && !this.#lost.signal.aborted;) {
      const outcome = await this.#call(rest);
      if (this.#lost.signal.aborted) return;
      const handled = outcome.kind === 'done' ? rest.length : Math.min(rest.length, outcome.handled ?? 0);
      const last = rest[handled - 1];
      if (last) {
        this.#needs.onUnblocked?.();
        this.#offset = last.position.offset + 1;
        this.#needs.onMoved(this.#offset);
      }
      rest = rest.slice(handled);
      switch (outcome.kind) {
        case 'done':
          break;
        case 'again':
          // Without a pause a handler that answers at once and handles nothing would leave no time for anything else.
          if (handled === 0) await sleep(this.#needs.clock, AGAIN_MS, this.#lost.signal);
          if (this.#closing) return;
          break;
        case 'later':
          return this.#waitUntil(outcome.retryAtMs);
        case 'blocked': {
          const [first] = rest;
          if (this.#closing) return; // the outcome is no longer needed
          if (first)
            this.#needs.onBlocked?.({
              offset: first.position.offset,
              key: first.key,
              reason: outcome.reason,
            });
          return this.#waitUntil(outcome.retryAtMs);
        }
        default:
          unreachable(outcome);
      }
    }
  }
  async #call(records: readonly Delivered[]): Promise<BatchOutcome> {
    const { topic, partition, handler, clock, random, logger, retry } = this.#needs;
    try {
      const outcome = await handler({ topic, partition, records }, this.#lost.signal);
      this.#failures = 0;
      return outcome;
    } catch (error) {
      const waitMs = delayMs(retry, ++this.#failures, random);
      logger.error('handler threw; the partition waits', {
        topic,
        partition,
        offset: this.#offset,
        failures: this.#failures,
        waitMs,
        error,
      });
      return { kind: 'blocked', retryAtMs: clock.nowMs() + waitMs, reason: 'handler threw' };
    }
  }
  #waitUntil(retryAtMs: number): void {
    if (this.#closing) return;
    const cancel = this.#needs.clock.after(Math.max(0, retryAtMs - this.#needs.clock.nowMs()), () => {
      this.#unblock = undefined;
      this.#needs.onFree();
    });
    this.#unblock = () => {
      cancel();
      this.#unblock = undefined;
    };
  }
}
