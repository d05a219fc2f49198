import type { Clock } from '@doska/core/kernel';
import type { Deadline } from '@grpc/grpc-js';

export type CallEnd = 'running' | 'deadline' | 'cancelled';
export type CallDeadline = {
  readonly deadlineMs: number;
  /** Made when somebody asks for it: most calls are answered before anybody does. */
  readonly signal: () => AbortSignal;
  /** Why the call ended early, if it did. */
  readonly end: () => CallEnd;
  /** Heard once, when the call ends early. */
  readonly onEnd: (hear: () => void) => void;
  readonly cancel: () => void;
  /** The call is answered: what comes later ends nothing. */
  readonly clear: () => void;
};

const asMs = (deadline: Deadline): number => (typeof deadline === 'number' ? deadline : deadline.getTime());

/** The client's deadline if it is earlier than ours; a call without any ends at ours. */
export const callDeadline = (clock: Clock, asked: Deadline, callMsMax: number): CallDeadline => {
  const nowMs = clock.nowMs();
  const deadlineMs = Math.min(asMs(asked), nowMs + callMsMax);
  let controller: AbortController | undefined;
  let end: CallEnd = 'running';
  let answered = false;
  let heard: () => void = () => {};
  const stop = (why: CallEnd): void => {
    if (end !== 'running' || answered) return;
    end = why;
    controller?.abort();
    heard();
  };
  const cancelTimer = clock.after(Math.max(0, deadlineMs - nowMs), () => stop('deadline'));
  return {
    deadlineMs,
    signal: () => {
      controller ??= new AbortController();
      if (end !== 'running') controller.abort();
      return controller.signal;
    },
    end: () => end,
    onEnd: (hear) => {
      heard = hear;
      if (end !== 'running') hear();
    },
    // gRPC cancels a call at the client's deadline on its own, maybe a moment before our timer.
    cancel: () => stop(clock.nowMs() >= deadlineMs - 5 ? 'deadline' : 'cancelled'),
    clear: () => {
      answered = true;
      cancelTimer();
    },
  };
};
