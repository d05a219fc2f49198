import { randomUUID } from 'node:crypto';
import type { ResultAsync } from 'neverthrow';
import { expect } from 'vitest';
import type { BatchHandler, Delivered, LogRecord, MessageLog, TopicSpec } from '../ports/message-log.port.ts';
import { eventually } from './eventually.ts';

const text = new TextEncoder();
export const valueOf = ({ value }: { readonly value: Uint8Array }): string => new TextDecoder().decode(value);
export const freshTopic = (partitions = 4): TopicSpec => ({
  name: `topic-${randomUUID()}`,
  partitions,
  retentionMs: 7 * 86_400_000,
  recordBytesMax: 100_000,
});
export const record = (
  topic: string,
  key: string,
  value: string,
  more: Partial<LogRecord> = {},
): LogRecord => ({ topic, key, value: text.encode(value), ...more });

/** Returns the answer and retries while the backend is unavailable. Any other error throws. */
export const surely = <T, E extends { readonly kind: string }>(ask: () => ResultAsync<T, E>): Promise<T> =>
  eventually(async () => {
    const answer = await ask();
    if (answer.isOk()) return answer.value;
    throw new Error(
      JSON.stringify(answer.error, (key, value: unknown) => (key === 'cause' ? String(value) : value)),
    );
  });

/** Publishes as a product does: what has no known outcome is sent again. */
export const publishSurely = async (log: MessageLog, records: readonly LogRecord[]): Promise<void> => {
  await eventually(async () => expect((await log.publish(records)).isOk()).toBe(true));
};
/** Reads a whole partition without a group. */
export const readAll = async (log: MessageLog, topic: string, partition: number): Promise<Delivered[]> => {
  const reader = await surely(() => log.read(topic, partition, 'earliest'));
  const all: Delivered[] = [];
  for (;;) {
    const records = await surely(() => reader.next({ recordsMax: 500 }));
    if (records.length === 0) break;
    all.push(...records);
  }
  await reader.close();
  return all;
};

/** A handler that writes down what it saw. `values` are in order of delivery; `news` leaves repeats out. */
export const recorder = (): {
  readonly handler: BatchHandler;
  readonly seen: Delivered[];
  readonly values: () => string[];
  readonly news: () => string[];
} => {
  const seen: Delivered[] = [];
  return {
    seen,
    handler: (batch) => {
      seen.push(...batch.records);
      return Promise.resolve({ kind: 'done' });
    },
    values: () => seen.map(valueOf),
    news: () => [...new Set(seen.map(valueOf))],
  };
};
/** Per key: the order in which values were first seen. */
export const firstSeenByKey = (seen: readonly Delivered[]): Map<string, string[]> => {
  const byKey = new Map<string, Set<string>>();
  for (const one of seen) byKey.set(one.key, (byKey.get(one.key) ?? new Set()).add(valueOf(one)));
  return new Map([...byKey].map(([key, values]) => [key, [...values]]));
};
