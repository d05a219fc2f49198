import { setTimeout } from 'node:timers/promises';

/** The client went away or the time is up: a request stream throws this instead of ending. */
export class CallAborted extends Error {
  override readonly name = 'CallAborted';
}

/** Resolves when the promise does, or rejects when the signal aborts; leaves no listener behind. */
const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(new CallAborted('the call was aborted'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });

/**
 * A Node client that cancels first ends its stream properly and resets it a moment later. So an end is believed
 * when no reset has followed; a contract that must be certain says in its last message that it is the last.
 */
const RESET_GRACE_MS = 25;

type Source = {
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterator<Uint8Array>;
};

/** Requests as they are asked for: the client is held back while the handler is busy. */
export async function* incoming<T>(
  call: Source,
  decode: (bytes: Uint8Array) => T,
  signal: AbortSignal,
): AsyncIterable<T> {
  // In a call with streams both ways the end of the requests must not destroy the way back.
  const source = call.iterator({ destroyOnReturn: false });
  for (;;) {
    const next = await unlessAborted(source.next(), signal);
    if (next.done) {
      await unlessAborted(setTimeout(RESET_GRACE_MS), signal);
      return;
    }
    yield decode(next.value);
  }
}
