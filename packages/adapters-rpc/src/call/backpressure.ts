import type { EventEmitter } from 'node:events';

type Emitter = Pick<EventEmitter, 'once' | 'off'>;
const EVENTS = ['drain', 'close', 'error'] as const;

/** Resolves when the other end can take more, or no longer will; leaves no listener behind. */
export const drained = (stream: Emitter, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      for (const event of EVENTS) stream.off(event, go);
      signal?.removeEventListener('abort', go);
      resolve();
    };
    for (const event of EVENTS) stream.once(event, go);
    signal?.addEventListener('abort', go, { once: true });
  });
