import { parentPort, workerData } from 'node:worker_threads';
import type { Clock, Logger } from '@doska/core/kernel';
import type { Analyzer } from '@doska/core/vasgen';
import type { Result, ResultAsync } from 'neverthrow';
import { openLocked, type EmbeddedEngine } from '../engine/embedded-engine.ts';
import type { Call, Reply, Request, WorkerStart } from './protocol.ts';

const port = parentPort!;
const tell = (reply: Reply): void => port.postMessage(reply);

const clock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
const log =
  (level: 'info' | 'warn' | 'error'): Logger['info'] =>
  (message, fields = {}) =>
    tell({ kind: 'log', level, message, fields: JSON.parse(JSON.stringify(fields)) as unknown });
const logger: Logger = {
  debug: () => undefined,
  info: log('info'),
  warn: log('warn'),
  error: log('error'),
  child: () => logger,
};

type Method = (...args: readonly unknown[]) => ResultAsync<unknown, unknown> | Promise<void>;
const answer = async (engine: EmbeddedEngine, { id, call, args }: Request): Promise<void> => {
  const outcome = (await (engine as unknown as Record<Call, Method>)[call](...args)) as
    Result<unknown, unknown> | undefined;
  if (outcome === undefined) tell({ kind: 'answer', id, isOk: true, value: undefined });
  else
    outcome.match(
      (value) => tell({ kind: 'answer', id, isOk: true, value }),
      (value) => tell({ kind: 'answer', id, isOk: false, value }),
    );
};

const { settings, analyzer } = workerData as WorkerStart;
const loaded = (await import(analyzer.module)) as Record<string, unknown>;
const found = loaded[analyzer.export];
const made = typeof found === 'function' ? (found as () => Analyzer)() : (found as Analyzer);
// The thread that started this one holds the folder's lock: it outlives a thread that dies.
const opened = await openLocked({ ...settings, analyzer: made, clock, logger });
opened.match(
  (engine) => {
    port.on('message', (request: Request) => void answer(engine, request));
    tell({ kind: 'opened', opened: engine.opened });
  },
  (error) => tell({ kind: 'failed', error }),
);
