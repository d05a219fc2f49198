import { hostname } from 'node:os';
import { eventually, inMemoryGenericStorage, memoryDatabase, realClock } from '@doska/core/kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { announceProcess, listProcesses, type ProcessRecord } from './process-record.ts';

const DEAD_PID = 999_999_999;
const about = (more: Partial<ProcessRecord> = {}): ProcessRecord => ({
  id: 'one',
  apps: ['gost-api'],
  version: '0.1.0',
  host: hostname(),
  pid: process.pid,
  startedAtMs: 1,
  heartbeatAtMs: 0,
  workers: [],
  ...more,
});
const announced = (
  storage = inMemoryGenericStorage(memoryDatabase({ nowMs: realClock.nowMs })),
  more: Partial<ProcessRecord> = {},
  keepMs = 60_000,
) => {
  let now = about(more);
  const process = announceProcess({
    storage,
    clock: realClock,
    everyMs: 5,
    keepMs,
    describe: () => now,
  });
  onTestFinished(() => process.stop({ keep: true }));
  return { storage, process, becomes: (change: Partial<ProcessRecord>) => (now = { ...now, ...change }) };
};
const stored = async (storage: ReturnType<typeof inMemoryGenericStorage>) =>
  (await listProcesses(storage))._unsafeUnwrap();
const worker = { name: 'gost-export', app: 'x', state: 'failed', restarts: 8, sinceMs: 1 } as const;

test('[X21] a process stores its newest state with every heartbeat, and nothing after a clean stop', async () => {
  const { storage, process, becomes } = announced();
  const first = await eventually(async () => {
    const [record] = await stored(storage);
    expect(record).toMatchObject({ id: 'one', apps: ['gost-api'] });
    return record!;
  });
  becomes({ workers: [{ ...worker, lastError: 'x'.repeat(1_000) }] });
  await eventually(async () => {
    const [record] = await stored(storage);
    expect(record!.heartbeatAtMs).toBeGreaterThan(first.heartbeatAtMs);
    expect(record!.workers).toEqual([{ ...worker, lastError: 'x'.repeat(300) }]);
  });
  await process.stop({ keep: false });
  expect(await stored(storage)).toEqual([]);
});
test('[X21] a process that ends because of a failure leaves its last state', async () => {
  const { storage, process, becomes } = announced();
  await eventually(async () => expect(await stored(storage)).toHaveLength(1));
  becomes({ workers: [worker] });
  await process.stop({ keep: true });
  expect((await stored(storage))[0]!.workers).toEqual([worker]);
});
test.each([
  ['is kept when it is on another machine', { host: 'elsewhere' }, true],
  ['is kept when it runs other apps', { apps: ['photos'] }, true],
  ['is kept while it lives', { pid: process.ppid }, true],
  ['is replaced by the same apps on the same machine', {}, false],
  ['is purged when it is silent for too long', { host: 'elsewhere', heartbeatAtMs: 1 }, false],
])('[X21] the record of a dead process %s', async (_, more, isKept) => {
  const storage = inMemoryGenericStorage(memoryDatabase({ nowMs: realClock.nowMs }));
  const other = about({ id: 'other', pid: DEAD_PID, heartbeatAtMs: Date.now(), ...more });
  await storage.put('processes', 'other', new TextEncoder().encode(JSON.stringify(other)), 0);
  await storage.put('processes', 'rubbish', new Uint8Array([1, 2]), 0);
  announced(storage);
  await eventually(async () => expect((await stored(storage)).map(({ id }) => id)).toContain('one'));
  await eventually(async () =>
    expect((await storage.list('processes', { limit: 9 }))._unsafeUnwrap().map(({ key }) => key)).toEqual(
      isKept ? ['one', 'other'] : ['one'],
    ),
  );
});
