import type { EventEmitter } from 'node:events';
import { sleep, type Clock } from '@doska/core/kernel';
import { drained } from './backpressure.ts';

type Target<Bytes> = Pick<EventEmitter, 'once' | 'off'> & { write(bytes: Bytes): boolean };

/** Resolves when the client can take more or no longer wants any; with `idle` when it has read nothing for `idleMs`. */
export const send = async <Bytes extends Uint8Array | string>(
  call: Target<Bytes>,
  bytes: Bytes,
  { signal, clock, idleMs }: { readonly signal: AbortSignal; readonly clock: Clock; readonly idleMs: number },
): Promise<'sent' | 'idle'> => {
  if (signal.aborted || call.write(bytes) || signal.aborted) return 'sent';
  const over = new AbortController();
  const outcome = await Promise.race([
    drained(call, AbortSignal.any([signal, over.signal])).then(() => 'sent' as const),
    sleep(clock, idleMs, over.signal).then(() => 'idle' as const),
  ]);
  over.abort();
  return outcome;
};

/** The error of a stream whose client has stopped to read, and its status. */
export const streamIdle = (idleMs: number) => ({
  kind: 'StreamIdle' as const,
  message: `the client has read nothing for ${idleMs} ms`,
});
export const streamErrors = { StreamIdle: 'ABORTED' } as const;
