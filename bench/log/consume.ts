import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { PgMessageLog } from '@doska/adapters-pg';
import type { Measured } from '../harness.ts';
import { newTopic, publishUntil } from './load.ts';
import { emptyLog } from './publish.ts';

const FILLED = 200_000;

/** A group that counts, over a topic that was filled before: from the first batch to the last record. */
export const consumeFilled = async (pool: pg.Pool, log: PgMessageLog): Promise<Measured> => {
  await emptyLog(pool);
  const topic = await newTopic(log);
  const { records } = await publishUntil(log, topic, { callers: 16, batch: 100 }, (n) => n >= FILLED);
  let startedMs = 0;
  let seen = 0;
  let finished = (): void => {};
  const all = new Promise<void>((resolve) => (finished = resolve));
  const subscription = log.subscribe({
    group: 'bench',
    topic,
    handler: (batch) => {
      startedMs ||= performance.now();
      seen += batch.records.length;
      if (seen >= records) finished();
      return Promise.resolve({ kind: 'done' });
    },
  });
  await all;
  const seconds = (performance.now() - startedMs) / 1_000;
  await subscription.stop();
  if (seen !== records) throw new Error(`${records} records were published, ${seen} were delivered`);
  return { value: records / seconds };
};

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** From the call of `publish` to the handler, with single records at about `perSecond`. */
export const latencyAt = async (
  pool: pg.Pool,
  log: PgMessageLog,
  { perSecond, records }: { readonly perSecond: number; readonly records: number },
): Promise<Measured> => {
  await emptyLog(pool);
  const topic = await newTopic(log);
  const calledMs: number[] = [];
  const tookMs: number[] = [];
  const subscription = log.subscribe({
    group: 'bench',
    topic,
    handler: (batch) => {
      const nowMs = performance.now();
      for (const { key } of batch.records) if (Number(key) >= 0) tookMs.push(nowMs - calledMs[Number(key)]!);
      return Promise.resolve({ kind: 'done' });
    },
  });
  const send = (key: string): Promise<unknown> =>
    Promise.resolve(log.publish([{ topic, key, value: new Uint8Array(300) }]));
  await send('-1');
  await pause(1_000); // until the partitions are taken
  const startedMs = performance.now();
  for (let sent = 0; sent < records;) {
    const due = Math.min(records, Math.floor(((performance.now() - startedMs) * perSecond) / 1_000));
    for (; sent < due; sent++) {
      calledMs[sent] = performance.now();
      void send(String(sent));
    }
    await pause(1);
  }
  for (const untilMs = performance.now() + 10_000; tookMs.length < records && performance.now() < untilMs;)
    await pause(5);
  const seconds = (performance.now() - startedMs) / 1_000;
  await subscription.stop();
  if (tookMs.length !== records) throw new Error(`${records} were sent, ${tookMs.length} arrived`);
  tookMs.sort((a, b) => a - b);
  return { value: records / seconds, figures: { p50_ms: at(tookMs, 0.5), p99_ms: at(tookMs, 0.99) } };
};
