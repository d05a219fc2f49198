import type { Clock } from '@doska/core/kernel';
import type { Deadline } from '@grpc/grpc-js';

export type CallEnd = 'running' | 'deadline' | 'cancelled';
export type CallDeadline = {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Why the signal aborted. */
  readonly end: () => CallEnd;
  readonly cancel: () => void;
  readonly clear: () => void;
};

const asMs = (deadline: Deadline): number => (typeof deadline === 'number' ? deadline : deadline.getTime());

/** The client's deadline if it is earlier than ours; a call without any ends at ours. */
export const callDeadline = (clock: Clock, asked: Deadline, callMsMax: number): CallDeadline => {
  const nowMs = clock.nowMs();
  const deadlineMs = Math.min(asMs(asked), nowMs + callMsMax);
  const controller = new AbortController();
  let end: CallEnd = 'running';
  const abort = (why: CallEnd): void => {
    if (end !== 'running') return;
    end = why;
    controller.abort();
  };
  const clear = clock.after(Math.max(0, deadlineMs - nowMs), () => abort('deadline'));
  return {
    deadlineMs,
    signal: controller.signal,
    end: () => end,
    // gRPC cancels a call at the client's deadline on its own, maybe a moment before our timer.
    cancel: () => abort(clock.nowMs() >= deadlineMs - 5 ? 'deadline' : 'cancelled'),
    clear,
  };
};
