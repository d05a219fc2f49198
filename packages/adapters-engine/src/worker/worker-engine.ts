import { Worker } from 'node:worker_threads';
import { silentTelemetry, unavailable, type Logger, type Unavailable } from '@doska/core/kernel';
import { err, ok, ResultAsync, type Result } from 'neverthrow';
import {
  lockOf,
  type EmbeddedEngine,
  type EngineSettings,
  type OpenedIndex,
} from '../engine/embedded-engine.ts';
import type { FolderInUse, FolderLock } from '../engine/folder-lock.ts';
import type { AnalyzerModule, Call, Reply, Request, WorkerStart } from './protocol.ts';

export type WorkerEngineOptions = EngineSettings & {
  readonly analyzer: AnalyzerModule;
  readonly logger?: Logger;
  /** JavaScript heap of the thread: strings and maps. Arrays are outside of it. */
  readonly heapMb?: number;
};

/** Built code runs in the thread, also when this file is read as a source. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/worker/engine-thread.js' : './engine-thread.js',
  import.meta.url,
);

export interface WorkerEngine extends EmbeddedEngine {
  /** Settles when the thread has died or was closed. */
  readonly ended: Promise<void>;
}

type Waiting = Map<number, (outcome: Result<unknown, unknown>) => void>;

const start = (
  { analyzer, logger, heapMb = 4096, ...settings }: WorkerEngineOptions,
  lock: FolderLock | undefined,
) => {
  const data: WorkerStart = { settings, analyzer };
  const worker = new Worker(THREAD, {
    workerData: data,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const waiting: Waiting = new Map();
  const log = logger ?? silentTelemetry.logger;
  let ended: Unavailable | undefined;
  let over: () => void;
  const isDone = new Promise<void>((resolve) => (over = resolve));
  const opened = new Promise<readonly OpenedIndex[]>((resolve, reject) => {
    worker.on('message', (reply: Reply) => {
      if (reply.kind === 'opened') resolve(reply.opened);
      else if (reply.kind === 'failed') reject(new Error('the engine did not open', { cause: reply.error }));
      else if (reply.kind === 'log') log[reply.level](reply.message, reply.fields as Record<string, unknown>);
      else {
        waiting.get(reply.id)?.(reply.isOk ? ok(reply.value) : err(reply.value));
        waiting.delete(reply.id);
      }
    });
    const end = (cause: unknown): void => {
      ended ??= unavailable('engine thread', cause, false);
      reject(cause instanceof Error ? cause : new Error(`the engine thread ended: ${String(cause)}`));
      for (const answer of waiting.values()) answer(err(ended));
      waiting.clear();
    };
    worker.on('error', end);
    worker.on('exit', (code) => {
      // Only now: until here the thread may still have written.
      lock?.release();
      end(code);
      over();
    });
  });
  let next = 0;
  const call = (name: Call, args: readonly unknown[]): ResultAsync<never, never> =>
    new ResultAsync(
      new Promise<Result<unknown, unknown>>((resolve) => {
        if (ended) return resolve(err(ended));
        const request: Request = { id: ++next, call: name, args };
        waiting.set(request.id, resolve);
        worker.postMessage(request);
      }),
    ) as ResultAsync<never, never>;
  return { worker, opened, call, isOver: () => ended !== undefined, ended: isDone };
};

const open = (
  options: WorkerEngineOptions,
  lock: FolderLock | undefined,
): ResultAsync<WorkerEngine, Unavailable> => {
  const { worker, opened, call, isOver, ended } = start(options, lock);
  let closed: Promise<void> | undefined;
  const engine = (list: readonly OpenedIndex[]): WorkerEngine => ({
    opened: list,
    ended,
    create: (...args) => call('create', args),
    extend: (...args) => call('extend', args),
    drop: (...args) => call('drop', args),
    serve: (...args) => call('serve', args),
    indexes: (...args) => call('indexes', args),
    apply: (...args) => call('apply', args),
    renew: (...args) => call('renew', args),
    sweep: (...args) => call('sweep', args),
    flush: (...args) => call('flush', args),
    execute: (...args) => call('execute', args),
    explain: (...args) => call('explain', args),
    look: (...args) => call('look', args),
    digest: (...args) => call('digest', args),
    places: (...args) => call('places', args),
    words: (...args) => call('words', args),
    snapshot: (...args) => call('snapshot', args),
    close: () =>
      (closed ??= (async () => {
        if (!isOver()) await call('close', []);
        await worker.terminate();
        lock?.release();
      })()),
  });
  return ResultAsync.fromPromise(opened, (cause) => {
    void worker.terminate();
    return unavailable('open engine', cause, false);
  }).map(engine);
};

/**
 * The embedded engine in a thread of its own: a heavy query delays only other queries. A thread that
 * dies answers everything with `Unavailable`; its owner opens another one.
 */
export const openWorkerEngine = (
  options: WorkerEngineOptions,
): ResultAsync<WorkerEngine, FolderInUse | Unavailable> =>
  lockOf(options).andThen((lock) => open(options, lock));
