import { err, ok, type Result } from 'neverthrow';
import { expect, test } from 'vitest';
import { retryUntilAborted } from './retry-until-aborted.ts';
import { manualClock, seededRandom } from './testing.ts';

const policy = { firstMs: 100, factor: 2, maxMs: 400, jitter: 0 };
const open = () => {
  const time = manualClock(0);
  const stop = new AbortController();
  const failures: [string, number][] = [];
  const retries = {
    clock: time.clock,
    random: seededRandom(1),
    policy,
    signal: stop.signal,
    onFailure: (error: string, attempt: number) => void failures.push([error, attempt]),
  };
  return { time, stop, failures, retries };
};

test('[X23] work is repeated with growing pauses until it succeeds', async () => {
  const { time, failures, retries } = open();
  const atMs: number[] = [];
  const work = async (attempt: number): Promise<Result<string, string>> => {
    atMs.push(time.nowMs());
    return attempt < 5 ? err(`no ${attempt}`) : ok('done');
  };
  const done = retryUntilAborted(work, retries);
  await time.advance(10_000);
  expect(await done).toEqual(ok('done'));
  expect(atMs).toEqual([0, 100, 300, 700, 1_100]);
  expect(failures).toEqual([1, 2, 3, 4].map((n) => [`no ${n}`, n]));
});

test('[X23] an abort ends the pause, and the work is not tried again', async () => {
  const { time, stop, failures, retries } = open();
  const done = retryUntilAborted(async (): Promise<Result<void, string>> => err('no'), retries);
  await time.advance(50);
  stop.abort();
  expect(await done).toEqual(err({ kind: 'Aborted' }));
  expect(failures).toEqual([['no', 1]]);
});

test('[X23] a success that comes after the abort still counts', async () => {
  const { stop, retries } = open();
  const work = async (): Promise<Result<string, string>> => {
    stop.abort();
    return ok('late');
  };
  expect(await retryUntilAborted(work, retries)).toEqual(ok('late'));
});

test('[X23] a failure after the abort is not reported', async () => {
  const { stop, failures, retries } = open();
  const work = async (): Promise<Result<string, string>> => {
    stop.abort();
    return err('too late');
  };
  expect(await retryUntilAborted(work, retries)).toEqual(err({ kind: 'Aborted' }));
  expect(failures).toEqual([]);
});
