import { expect, test } from 'vitest';
import type { BatchHandler, Delivered } from '../ports/message-log.port.ts';
import { silentTelemetry } from '../ports/telemetry.port.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { OwnedPartition } from './owned-partition.ts';

const records = (...offsets: readonly number[]): Delivered[] =>
  offsets.map((offset) => ({
    key: 'k',
    value: new Uint8Array(),
    headers: {},
    timestampMs: 0,
    position: { log: 'l', topic: 't', partition: 0, offset },
  }));
const bench = (handler: BatchHandler) => {
  const time = manualClock();
  const moved: number[] = [];
  const partition = new OwnedPartition(
    {
      topic: 't',
      partition: 0,
      token: 1,
      handler,
      clock: time.clock,
      random: seededRandom(1),
      logger: silentTelemetry.logger,
      retry: { firstMs: 100, factor: 2, maxMs: 400, jitter: 0 },
      onMoved: (offset: number) => moved.push(offset),
      onFree: () => {},
    },
    0,
  );
  return { ...time, partition, moved };
};

test('[B7] a handler that blocks while its partition closes leaves no timer behind', async () => {
  let answer = (): void => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  const { partition, advance, pending } = bench(async () => {
    await asked;
    return { kind: 'blocked', retryAtMs: 60_000, reason: 'not now' };
  });
  partition.give(records(0));
  const closed = partition.close();
  answer();
  await closed;
  await advance(1);
  expect(pending()).toBe(0);
});
test('[B7] the outcome of a handler is ignored after its partition was lost', async () => {
  const { partition, advance, moved } = bench((_batch, signal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())).then(() => ({
      kind: 'done',
    })),
  );
  partition.give(records(0, 1));
  await advance(1);
  partition.lose();
  await partition.close();
  expect(moved).toEqual([]);
});
test('[B7] a handler that asks again at once and handles nothing leaves time for other work', async () => {
  let calls = 0;
  const { partition, advance, moved } = bench(async () =>
    // Without an end a mistake here would stop the test process.
    ++calls < 1_000 ? { kind: 'again' } : { kind: 'done' },
  );
  partition.give(records(0, 1));
  await advance(3);
  expect(calls).toBeGreaterThan(1);
  expect(calls).toBeLessThan(10);
  await advance(1_000);
  expect([calls, moved]).toEqual([1_000, [2]]);
});
test('[B7] what is left of a batch is asked for at once', async () => {
  const left: number[] = [];
  const { partition, advance, moved } = bench(async ({ records: rest }) => {
    left.push(rest.length);
    return { kind: 'again', handled: 1 };
  });
  partition.give(records(0, 1, 2));
  await advance(0);
  expect([left, moved]).toEqual([
    [3, 2, 1],
    [1, 2, 3],
  ]);
});
test('[B7] a partition whose handler throws waits longer each time and then takes the batch again', async () => {
  let fails = 3;
  const { partition, advance, moved } = bench(() => {
    if (fails-- > 0) throw new Error('bug');
    return Promise.resolve({ kind: 'done' });
  });
  for (const waitMs of [100, 200, 400]) {
    partition.give(records(0));
    await advance(waitMs - 1);
    expect(partition.ready).toBe(false);
    await advance(1);
    expect(partition.ready).toBe(true);
  }
  partition.give(records(0));
  await advance(1);
  expect(moved).toEqual([1]);
});
