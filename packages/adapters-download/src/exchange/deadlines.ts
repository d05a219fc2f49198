import {
  DownloadInterrupted,
  unavailable,
  type Cancel,
  type Clock,
  type DownloadError,
  type DownloadLimits,
} from '@doska/core/kernel';

/** The timers of one download. The first one that expires is the reason of `signal`. */
export interface Deadlines {
  readonly signal: AbortSignal;
  /** Starts the connect timer. */
  connecting(): void;
  /** Starts the idle timer: we wait for bytes of the server. */
  waiting(): void;
  /** Stops the idle timer while the reader works. The total timer continues. */
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
