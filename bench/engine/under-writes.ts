import type { SearchEngine } from '@doska/core/vasgen';
import { planOf, queryOf, upsertOf } from './corpus.ts';
import { name } from './own.ts';

const QUERIES_A_SECOND = 50;
const TICK_MS = 10;

/**
 * Open loop: writes and queries come by the clock whatever the engine does, and a query's time counts from the moment
 * it was due. The timer's own lateness (about a millisecond) is in it.
 */
export const latenciesUnderWrites = async (
  engine: Pick<SearchEngine, 'apply' | 'execute'>,
  {
    documents,
    upsertsASecond,
    seconds,
    version,
  }: { documents: number; upsertsASecond: number; seconds: number; version: number },
): Promise<{ readonly p50: number; readonly p99: number; readonly applied: number }> => {
  const began = performance.now();
  const latencies: number[] = [];
  const pending: Promise<unknown>[] = [];
  let asked = 0;
  let written = 0;
  let applied = 0;
  const upserts = (due: number): void => {
    if (due <= written) return;
    const batch = Array.from({ length: due - written }, (_, at) =>
      upsertOf(((written + at) * 7919) % documents, version),
    );
    written = due;
    const write = async (): Promise<void> => {
      const verdicts = (await engine.apply(name, batch))._unsafeUnwrap();
      applied += verdicts.filter(({ kind }) => kind === 'applied').length;
    };
    pending.push(write());
  };
  const ask = async (number: number): Promise<void> => {
    const due = began + (number * 1000) / QUERIES_A_SECOND;
    (await engine.execute({ index: name }, planOf(queryOf('q1', number))))._unsafeUnwrap();
    latencies.push(performance.now() - due);
  };
  while (performance.now() - began < seconds * 1000) {
    const elapsed = (performance.now() - began) / 1000;
    for (; asked <= elapsed * QUERIES_A_SECOND; asked++) pending.push(ask(asked));
    upserts(Math.floor(elapsed * upsertsASecond));
    const nextAsk = began + (asked * 1000) / QUERIES_A_SECOND - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.min(TICK_MS, nextAsk))));
  }
  await Promise.all(pending);
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]!;
  return { p50: at(0.5), p99: at(0.99), applied };
};
