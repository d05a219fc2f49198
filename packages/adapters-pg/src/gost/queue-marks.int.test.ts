import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { OFFER_UPDATES } from '@doska/core/gost';
import { manualClock } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '../../../../tests/setup/database.ts';
import { pgExportQueue } from './pg-export-queue.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());
beforeEach(() => db.pool.query('truncate gost.queue'));

const SECOND_US = 1_000_000;
const open = () => {
  const { clock, advance } = manualClock();
  const queue = pgExportQueue({ pool: db.pool, clock, queueMark: { lagMs: 5_000, rescanMs: 10_000 } });
  const put = (key: string, seconds: number) =>
    db.pool.query(`insert into gost.queue (shard, at_us, topic, key, value) values (0, $1, $2, $3, '')`, [
      ...[seconds * SECOND_US, OFFER_UPDATES, key],
    ]);
  const read = async () => (await queue.read(0, 10))._unsafeUnwrap();
  const keys = async () => (await read()).map(({ key }) => key);
  return { advance, queue, put, read, keys };
};

test('[G5] a record that was committed late, within the lag, is read before the newer ones', async () => {
  const { queue, put, read, keys } = open();
  await put('first', 100);
  await queue.delete(await read());
  await put('newer', 101);
  await put('late', 96);
  expect(await keys()).toEqual(['late', 'newer']);
});

test('[G5] one that comes even later is not stranded: a read from the very beginning finds it', async () => {
  const { advance, queue, put, read, keys } = open();
  await put('first', 100);
  expect(await keys()).toEqual(['first']);
  await put('very late', 90);
  await queue.delete((await read()).filter(({ key }) => key === 'first'));
  expect(await keys()).toEqual([]);
  await advance(10_000);
  expect(await keys()).toEqual(['very late']);
  // It is waited for now, as any other.
  expect(await keys()).toEqual(['very late']);
  await queue.delete(await read());
  expect(await keys()).toEqual([]);
});

test('[G5] whoever takes over a shard begins at the very beginning', async () => {
  const { put, keys } = open();
  await put('first', 100);
  await keys();
  await put('very late', 10);
  expect(await keys()).toEqual(['first']);
  expect(await open().keys()).toEqual(['very late', 'first']);
});
