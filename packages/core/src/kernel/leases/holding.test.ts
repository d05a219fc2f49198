import { errAsync, ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { aborted } from '../signal.ts';
import { unavailable } from '../errors.ts';
import { sleep } from '../ports/clock.port.ts';
import type { LeaseStore } from '../ports/lease-store.port.ts';
import { countingIds } from '../testing/counting-ids.ts';
import { inMemoryLeaseStore } from '../testing/in-memory-lease-store.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { memoryDatabase } from '../testing/memory-database.ts';
import type { ShardWork } from './lease.ts';
import { makeShardLeases } from './shard-leases.ts';

const TIMES = { leaseMs: 1_000, beatMs: 100, drainMs: 500 };
const untilAborted: ShardWork = (_lease, signal) => aborted(signal);
const lostAnswer = () => errAsync(unavailable('no answer'));

const world = () => {
  const time = manualClock(1_000);
  const right = inMemoryLeaseStore(memoryDatabase({ nowMs: time.nowMs }));
  const ids = countingIds('m');
  const hold = (store: LeaseStore, work = untilAborted) =>
    makeShardLeases({ store, clock: time.clock, ids, times: TIMES }).hold({ set: 's', shards: 2, work });
  return { ...time, right, hold };
};

test('[B9] a shard whose take lost its answer is released and taken again', async () => {
  const { right, hold, advance } = world();
  let takes = 0;
  const holding = hold({
    ...right,
    take: (take) =>
      right.take(take).andThen((taken) => (++takes === 1 ? lostAnswer() : right.list().map(() => taken))),
  });
  await advance(2_000);
  expect(holding.held().map(({ shard, token }) => [shard, token])).toEqual([
    [0, 2],
    [1, 2],
  ]);
  await holding.stop();
});
test('[B9] a failed release is repeated, and the other member gets the shard', async () => {
  const { right, hold, advance } = world();
  let releases = 0;
  const first = hold({
    ...right,
    release: (args) => (++releases === 1 ? lostAnswer() : right.release(args)),
  });
  await advance(500);
  expect(first.held()).toHaveLength(2);
  const second = hold(right);
  await advance(2_000);
  expect([first.held().length, second.held().length]).toEqual([1, 1]);
  await Promise.all([first.stop(), second.stop()]);
});
test('[B9] a take that is answered after our deadline starts no work', async () => {
  const { right, hold, advance, clock } = world();
  const begun: number[] = [];
  const late: LeaseStore = {
    ...right,
    take: (take) => right.take(take).andThrough(() => ResultAsync.fromSafePromise(sleep(clock, 3_000))),
  };
  const holding = hold(late, (lease, signal) => {
    begun.push(lease.token);
    return aborted(signal);
  });
  await advance(10_000);
  expect(begun).toEqual([]);
  void holding.stop();
  await advance(5_000);
});
test('[B9] work is told about a lost lease during a hand-over too', async () => {
  const { right, hold, advance } = world();
  const heard: string[] = [];
  let dead = false;
  const mortal: LeaseStore = { ...right, beat: (beat) => (dead ? lostAnswer() : right.beat(beat)) };
  const slow: ShardWork = async ({ shard }, signal, lost) => {
    await aborted(signal);
    heard.push(`${shard} ${String(signal.reason)}`);
    await aborted(lost);
    heard.push(`${shard} gone`);
  };
  const first = hold(mortal, slow);
  await advance(500);
  const second = hold(right);
  await advance(500);
  expect(heard).toEqual(['1 handover']);
  dead = true;
  await advance(2_000);
  expect(heard).toEqual(expect.arrayContaining(['1 gone', '0 lost', '0 gone']));
  expect(second.held()).toHaveLength(2);
  void Promise.all([first.stop(), second.stop()]);
  await advance(5_000);
});

test('[X22] a lease is not held after its deadline, although no timer has fired yet', async () => {
  const { right, advance, clock } = world();
  let pausedMs = 0;
  const pausing = { ...clock, nowMs: () => clock.nowMs() + pausedMs };
  const asked: (() => boolean)[] = [];
  const holding = makeShardLeases({ store: right, clock: pausing, ids: countingIds('p'), times: TIMES }).hold(
    {
      set: 's',
      shards: 1,
      work: ({ isHeld }, signal) => (asked.push(isHeld), aborted(signal)),
    },
  );
  await advance(50); // since the heartbeat
  expect(asked.map((isHeld) => isHeld())).toEqual([true]);
  pausedMs = TIMES.leaseMs - 51;
  expect(asked[0]!()).toBe(true);
  pausedMs = TIMES.leaseMs - 50;
  expect(asked[0]!()).toBe(false);
  pausedMs = 0;
  void holding.stop();
  await advance(1_000);
});
test('[X14] a member whose heartbeat is answered late counts its lease from the question', async () => {
  const { right, hold, advance, clock, nowMs } = world();
  let slow = false;
  let askedAtMs = 0;
  const late: LeaseStore = {
    ...right,
    beat: (beat) => {
      if (!slow) return right.beat(beat);
      if (askedAtMs > 0) return lostAnswer();
      askedAtMs = nowMs();
      return right.beat(beat).andThrough(() => ResultAsync.fromSafePromise(sleep(clock, 400)));
    },
  };
  const lostAt: number[] = [];
  const holding = hold(late, async (_lease, signal, lost) => {
    lost.addEventListener('abort', () => lostAt.push(nowMs()));
    await aborted(signal);
  });
  await advance(500);
  slow = true; // one heartbeat is answered after 400 ms, the next ones never
  await advance(5_000);
  expect(lostAt).toEqual([askedAtMs + TIMES.leaseMs, askedAtMs + TIMES.leaseMs]);
  void holding.stop();
  await advance(5_000);
});
