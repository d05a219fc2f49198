import { delayMs, sleep, type Backoff, type Clock, type Logger, type Random } from '@doska/core/kernel';
import type { Part } from './part.ts';

export type PartState = 'running' | 'restarting' | 'stopped' | 'failed';
export type PartStatus = {
  readonly app: string;
  readonly name: string;
  readonly state: PartState;
  readonly restarts: number;
  readonly lastError: string | undefined;
  readonly sinceMs: number;
};

export type SupervisorOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** After `attemptsMax` failures without a quiet period, `onFatal` is called and the process ends. */
  readonly restart?: Backoff;
  /** A part that runs this long without a failure starts counting failures from zero again. */
  readonly quietMs?: number;
  /** Called once, when a part will not be restarted any more. */
  readonly onFatal: (part: PartStatus) => void;
};
const defaultRestart: Backoff = { firstMs: 200, factor: 2, maxMs: 15_000, jitter: 0.2, attemptsMax: 8 };

type Running = { status: PartStatus; readonly ended: Promise<void>; readonly stop: () => void };

/** Starts parts in order, restarts those that fail, and stops them in reverse order. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running: Running[] = [];

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  status(): readonly PartStatus[] {
    return this.#running.map(({ status }) => status);
  }

  /** Starts the parts one after another: each when the previous one is ready or has failed for the first time. */
  async start(parts: readonly Part[]): Promise<void> {
    for (const part of parts) await this.#begin(part);
  }

  /** Stops the parts in reverse order, one at a time, all within `withinMs`. Returns the parts that did not finish. */
  async stop(withinMs: number): Promise<readonly string[]> {
    const { clock } = this.#options;
    const untilMs = clock.nowMs() + withinMs;
    const late: string[] = [];
    for (const running of [...this.#running].reverse()) {
      running.stop();
      const patience = new AbortController();
      const inTime = await Promise.race([
        running.ended.then(() => true),
        sleep(clock, Math.max(0, untilMs - clock.nowMs()), patience.signal).then(() => false),
      ]);
      patience.abort();
      if (!inTime) late.push(running.status.name);
    }
    return late;
  }

  #begin(part: Part): Promise<void> {
    return new Promise((started) => {
      const stopping = new AbortController();
      const { app, name } = part;
      const running: Running = {
        status: {
          app,
          name,
          state: 'restarting',
          restarts: 0,
          lastError: undefined,
          sinceMs: this.#options.clock.nowMs(),
        },
        stop: () => stopping.abort(),
        ended: this.#keepAlive(part, stopping.signal, (change) => {
          running.status = { ...running.status, ...change, sinceMs: this.#options.clock.nowMs() };
          started();
        }),
      };
      this.#running.push(running);
    });
  }
  async #keepAlive(
    part: Part,
    signal: AbortSignal,
    changed: (change: Partial<PartStatus>) => void,
  ): Promise<void> {
    await Promise.resolve(); // `running` must exist before the first change is reported
    const { clock, random, logger, restart = defaultRestart, quietMs = 60_000, onFatal } = this.#options;
    for (let deaths = 0, restarts = 0; ; restarts++) {
      const beganMs = clock.nowMs();
      const error = await this.#live(part, signal, () => changed({ state: 'running', restarts }));
      if (signal.aborted) {
        if (error !== undefined) logger.error('part failed while stopping', { part: part.name, error });
        return changed({ state: 'stopped' });
      }
      deaths = clock.nowMs() - beganMs > quietMs ? 1 : deaths + 1;
      const lastError = error instanceof Error ? error.message : 'it ended by itself';
      logger.error('part failed', { part: part.name, deaths, error: error ?? lastError });
      if (deaths >= (restart.attemptsMax ?? Infinity)) {
        changed({ state: 'failed', lastError });
        onFatal({
          app: part.app,
          name: part.name,
          state: 'failed',
          restarts,
          lastError,
          sinceMs: clock.nowMs(),
        });
        return;
      }
      changed({ state: 'restarting', lastError, restarts });
      await sleep(clock, delayMs(restart, deaths, random), signal);
      if (signal.aborted) return changed({ state: 'stopped' });
    }
  }
  async #live(part: Part, signal: AbortSignal, ready: () => void): Promise<unknown> {
    try {
      await part.run(signal, ready);
      return undefined;
    } catch (error) {
      return error ?? new Error('it threw nothing');
    }
  }
}
