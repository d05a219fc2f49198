import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { makeParkedRecords, PARKED_RECORDS_MAX } from './parked-records.use-case.ts';
import type { ExportQueue, ParkedRecord, QueueKey } from './export-queue.port.ts';

const recordAt = (shard: number, n: number, key = `k${n}`): ParkedRecord => ({
  shard,
  atUs: n,
  topic: 'topic',
  key,
  id: '',
  bytes: 10,
  reason: 'too large for the topic',
});
const bench = (parked: readonly ParkedRecord[], shards = 3) => {
  const moved: QueueKey[] = [];
  const queue: Pick<ExportQueue, 'parked' | 'unpark'> = {
    parked: (shard, limit, key) =>
      okAsync(parked.filter((one) => one.shard === shard && (key ?? one.key) === one.key).slice(0, limit)),
    unpark: (key) => {
      const isNew = !moved.some(({ shard, atUs }) => shard === key.shard && atUs === key.atUs);
      if (isNew) moved.push(key);
      return okAsync(isNew);
    },
  };
  return { moved, records: makeParkedRecords({ queue, shards }) };
};

test('[X2] an operator sees parked records of all shards, or of one key', async () => {
  const all = [recordAt(0, 1), recordAt(1, 2), recordAt(2, 3), recordAt(2, 4, 'k1')];
  const { records } = bench(all);
  expect((await records.list())._unsafeUnwrap()).toEqual(all);
  expect((await records.list('k1'))._unsafeUnwrap()).toEqual([all[0], all[3]]);
  expect((await records.list('other'))._unsafeUnwrap()).toEqual([]);
});
test('[X2] parked records are sent again once, all of them or those of one key', async () => {
  const all = [recordAt(0, 1), recordAt(2, 3), recordAt(2, 4, 'k1')];
  const { records, moved } = bench(all);
  expect((await records.sendAgain('k1'))._unsafeUnwrap()).toBe(2);
  expect(moved).toEqual([all[0], all[2]]);
  expect((await records.sendAgain())._unsafeUnwrap()).toBe(1);
  expect(moved).toHaveLength(3);
});
test('[X2] a call lists and sends at most a hundred parked records', async () => {
  const all = Array.from({ length: 150 }, (_, n) => recordAt(n % 2, n));
  const { records, moved } = bench(all, 2);
  expect((await records.list())._unsafeUnwrap()).toHaveLength(PARKED_RECORDS_MAX);
  expect((await records.sendAgain())._unsafeUnwrap()).toBe(100);
  expect(moved.filter(({ shard }) => shard === 1)).toHaveLength(25);
});
