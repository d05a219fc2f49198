import {
  DownloadInterrupted,
  unavailable,
  type Cancel,
  type Clock,
  type DownloadError,
  type DownloadLimits,
} from '@doska/core/kernel';

/** The clocks of one download. Whichever runs out first is the reason of the `signal`. */
export interface Deadlines {
  readonly signal: AbortSignal;
  /** From here on a server is being reached. */
  connecting(): void;
  /** From here on bytes of a server are waited for. */
  waiting(): void;
  /** It is the reader's turn: only the total goes on. */
  resting(): void;
  end(): void;
}

export const startDeadlines = (
  clock: Clock,
  limits: DownloadLimits,
  outer: AbortSignal | undefined,
): Deadlines => {
  const controller = new AbortController();
  const giveUp = (error: DownloadError): void => controller.abort(new DownloadInterrupted(error));
  const expiring = (phase: 'total' | 'connect' | 'idle', limitMs: number): Cancel =>
    clock.after(limitMs, () => giveUp({ kind: 'DownloadTimedOut', phase, limitMs }));
  const stop = (): void => giveUp(unavailable('download aborted'));
  const cancelTotal = expiring('total', limits.totalMs);
  let cancelPhase: Cancel = () => {};
  const enter = (next: Cancel): void => {
    cancelPhase();
    cancelPhase = next;
  };
  if (outer?.aborted) stop();
  outer?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    connecting: () => enter(expiring('connect', limits.connectMs)),
    waiting: () => enter(expiring('idle', limits.idleMs)),
    resting: () => enter(() => {}),
    end: () => {
      enter(() => {});
      cancelTotal();
      outer?.removeEventListener('abort', stop);
    },
  };
};
