import { Worker } from 'node:worker_threads';
import type { SearchEngine } from '@doska/core/vasgen';
import { ok, ResultAsync, type Result } from 'neverthrow';

const SOURCE = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ id }) => parentPort.postMessage(id));`;

export type Echo = Pick<SearchEngine, 'apply' | 'execute'> & { close(): Promise<void> };

/** A thread that is sent what an engine is sent and does nothing: how late the machine alone makes an answer. */
export const openEcho = (): Echo => {
  const worker = new Worker(SOURCE, { eval: true });
  const waiting = new Map<number, (outcome: Result<never, never>) => void>();
  worker.on('message', (id: number) => {
    waiting.get(id)?.(ok([] as never));
    waiting.delete(id);
  });
  let next = 0;
  const call = (...args: readonly unknown[]): ResultAsync<never, never> =>
    new ResultAsync(
      new Promise<Result<never, never>>((resolve) => {
        waiting.set(++next, resolve);
        worker.postMessage({ id: next, args });
      }),
    );
  return { apply: call, execute: call, close: async () => void (await worker.terminate()) };
};
