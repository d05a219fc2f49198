import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { unavailable } from '../errors.ts';
import { sleep } from '../ports/clock.port.ts';
import type { LogStorage, PositionCommit } from '../ports/log-storage.port.ts';
import { silentTelemetry } from '../ports/telemetry.port.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { PositionCommitter } from './position-committer.ts';

const at = (partition: number, offset: number): PositionCommit => ({ partition, offset, token: 1 });

/** A storage whose commits take 10 ms, and a committer on it. */
const bench = (answer: () => ReturnType<LogStorage['commit']> = () => okAsync([])) => {
  const time = manualClock();
  const commits: (readonly PositionCommit[])[] = [];
  const lost: number[] = [];
  const storage = {
    commit: (_group: string, _topic: string, moves: readonly PositionCommit[]) => {
      commits.push(moves);
      return ResultAsync.fromSafePromise(sleep(time.clock, 10)).andThen(answer);
    },
  } as unknown as LogStorage;
  const committer = new PositionCommitter({
    storage,
    clock: time.clock,
    random: seededRandom(1),
    logger: silentTelemetry.logger,
    group: 'g',
    topic: 't',
    retry: { firstMs: 100, factor: 2, maxMs: 1_000, jitter: 0 },
    onLost: (partition) => lost.push(partition),
  });
  return { ...time, committer, commits, lost };
};

test('[B7] one commit is in flight, and the next has the newest position of each partition', async () => {
  const { committer, commits, advance } = bench();
  for (let offset = 1; offset <= 5; offset++) committer.add(at(0, offset));
  committer.add(at(1, 9));
  await advance(30);
  expect(commits).toEqual([[at(0, 1)], [at(0, 5), at(1, 9)]]);
});
test('[B7] a flush of a partition waits for its own position only', async () => {
  const { committer, advance } = bench();
  let flushed = false;
  committer.add(at(0, 1));
  void committer.flushed(0).then(() => (flushed = true));
  for (let offset = 1; offset <= 10; offset++) {
    committer.add(at(1, offset)); // there is always one more of the other partition
    await advance(5);
  }
  expect(flushed).toBe(true);
});
test('[B7] a failed commit is retried until it succeeds, without forgotten partitions', async () => {
  let fails = 2;
  const { committer, commits, advance } = bench(() =>
    fails-- > 0 ? errAsync(unavailable('busy')) : okAsync([]),
  );
  committer.add(at(0, 1));
  await advance(1);
  committer.add(at(1, 1));
  committer.forget(0);
  await advance(1_000);
  expect(commits).toEqual([[at(0, 1)], [at(1, 1)], [at(1, 1)]]);
});
test('[B7] a closed committer does not retry, also after a commit in flight fails', async () => {
  const { committer, commits, advance, pending } = bench(() => errAsync(unavailable('gone')));
  committer.add(at(0, 1));
  await advance(5);
  committer.close();
  await committer.flushed(0);
  committer.add(at(0, 2));
  await advance(60_000);
  expect(commits).toHaveLength(1);
  expect(pending()).toBe(0);
});
test('[B7] a member that lost a partition is notified', async () => {
  const { committer, lost, advance } = bench(() => okAsync([1]));
  committer.add(at(0, 1));
  committer.add(at(1, 1));
  await advance(50);
  expect(lost).toContain(1);
});

test('[X14] a failed commit that is tried again does not overwrite a newer position', async () => {
  let fails = 1;
  const { committer, commits, advance } = bench(() =>
    fails-- > 0 ? errAsync(unavailable('busy')) : okAsync([]),
  );
  committer.add(at(0, 1));
  committer.add(at(1, 5));
  await advance(5); // the commit of partition 0 is on its way and will fail
  committer.add(at(0, 2));
  await advance(1_000);
  expect(commits).toEqual([[at(0, 1)], expect.arrayContaining([at(0, 2), at(1, 5)])]);
});
