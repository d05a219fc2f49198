import { parentPort, workerData } from 'node:worker_threads';
import { grpcChannel, snippetClient } from '@doska/adapters-grpc';
import { clock } from '../engine/own.ts';

export type MultiGetWork = {
  readonly target: string;
  readonly token: string;
  readonly forMs: number;
  readonly callers: number;
  readonly rows: number;
  readonly keys: number;
};

/** Calls MultiGet in a thread of its own, as a service beside the server does, and tells the rows a second. */
const { target, token, forMs, callers, rows, keys } = workerData as MultiGetWork;
const channel = grpcChannel({ target, clock, token });
const client = snippetClient(channel, { readMs: 10_000 });
const startedMs = performance.now();
let done = 0;
const caller = async (): Promise<void> => {
  while (performance.now() - startedMs < forMs) {
    const wanted = new Set(Array.from({ length: rows }, () => `k${Math.floor(Math.random() * keys)}`));
    const found = await client.multiGet({ names: ['plain'], keys: [...wanted], language: '' });
    done += found._unsafeUnwrap().length;
  }
};
await Promise.all(Array.from({ length: callers }, caller));
parentPort!.postMessage(done / ((performance.now() - startedMs) / 1_000));
channel.close();
