import type { Cancel, Clock } from '@doska/core/kernel';

/** Why a call ended before it was answered. */
export type EarlyEnd = 'deadline' | 'cancelled';
type CallEnd = 'running' | EarlyEnd;

/** The client's deadline if it is earlier than ours; a call without any ends at ours. */
export class CallDeadline {
  readonly deadlineMs: number;
  readonly #clock: Clock;
  readonly #cancelTimer: Cancel;
  #controller: AbortController | undefined;
  #end: CallEnd = 'running';
  #answered = false;
  #hear: (() => void) | undefined;

  constructor(clock: Clock, askedMs: number, callMsMax: number) {
    const nowMs = clock.nowMs();
    this.#clock = clock;
    this.deadlineMs = Math.min(askedMs, nowMs + callMsMax);
    this.#cancelTimer = clock.after(Math.max(0, this.deadlineMs - nowMs), () => this.#stop('deadline'));
  }

  /** Created on first use: most calls are answered without it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#end !== 'running') this.#controller.abort();
    return this.#controller.signal;
  }
  /** Heard once, when the call ends early. */
  onEnd(hear: (end: EarlyEnd) => void): void {
    this.#hear = () => this.#end !== 'running' && hear(this.#end);
    this.#hear();
  }
  /** gRPC cancels a call at the client's deadline on its own, maybe a moment before our timer. */
  cancel(): void {
    this.#stop(this.#clock.nowMs() >= this.deadlineMs - 5 ? 'deadline' : 'cancelled');
  }
  /** The call is answered: what comes later ends nothing. */
  clear(): void {
    this.#answered = true;
    this.#cancelTimer();
  }
  #stop(why: EarlyEnd): void {
    if (this.#end !== 'running' || this.#answered) return;
    this.#end = why;
    this.#controller?.abort();
    this.#hear?.();
  }
}
