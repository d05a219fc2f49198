import { randomUUID } from 'node:crypto';
import type { PgMessageLog } from '@doska/adapters-pg';
import type { LogRecord } from '@doska/core/kernel';

export const PARTITIONS = 16;
/** Of pgbench, and of our callers where the variant does not say otherwise. */
export const CLIENTS = 16;
export const VALUE_BYTES = 300;
export const RUN_SECONDS = 3;

const KEYS = 100_000;
export const someKey = (): string => `offer-${Math.floor(Math.random() * KEYS)}`;
const value = new Uint8Array(VALUE_BYTES).fill(0x5a);

export const newTopic = async (log: PgMessageLog): Promise<string> => {
  const name = `bench-${randomUUID()}`;
  const made = await log.ensureTopics([
    { name, partitions: PARTITIONS, retentionMs: 86_400_000, recordBytesMax: 1 << 20 },
  ]);
  if (made.isErr()) throw new Error(JSON.stringify(made.error));
  return name;
};

/** Made before the clock runs: what is measured is the log, not the making of keys. */
const stockOf = (topic: string): LogRecord[] =>
  Array.from({ length: 50_000 }, () => ({ topic, key: someKey(), value }));

export type Published = { readonly records: number; readonly seconds: number };

/** `callers` at once, each with its next call when the last was acknowledged, until `enough`. */
export const publishUntil = async (
  log: PgMessageLog,
  topic: string,
  { callers, batch }: { readonly callers: number; readonly batch: number },
  enough: (records: number, seconds: number) => boolean,
): Promise<Published> => {
  const stock = stockOf(topic);
  let used = 0;
  const nextBatch = (): LogRecord[] => {
    if (used + batch > stock.length) used = 0;
    return stock.slice(used, (used += batch));
  };
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1_000;
  let records = 0;
  const caller = async (): Promise<void> => {
    while (!enough(records, seconds())) {
      const sent = await log.publish(nextBatch());
      if (sent.isErr()) throw new Error(JSON.stringify(sent.error));
      records += batch;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { records, seconds: seconds() };
};
