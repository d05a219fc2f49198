import { describe, expect, test } from 'vitest';
import { sampleFeed, sampleLoad, sampleStored } from '../testing/feed-samples.ts';
import { decideRemoval } from './decide-load.ts';
import { decideRunEnd, type RunEnd } from './decide-run.ts';
import type { FatalError } from './load.ts';
import { defaultFeedsSettings as settings } from './settings.ts';

const free = { token: 0, holder: undefined, renewedAtMs: 0 };
const running = (generation: number) =>
  sampleLoad(1, { task: { ...sampleLoad(1).task, running: true, generation } as never });
const ended = (end: RunEnd, { generation = 5, token = 5, isFreed = false } = {}) =>
  decideRunEnd(
    sampleStored({
      open: [running(generation)],
      locks: {
        feedloader: free,
        feedprocessor: { token: 5, holder: isFreed ? undefined : 'me', renewedAtMs: 1 },
      },
    }),
    { task: sampleLoad(1).task.id, token },
    { progress: { ...sampleLoad(1).progress, offers: 7 } as never, catalogVersion: 3 },
    end,
    { nowMs: 9, settings },
  );
const fatal: FatalError = { code: 'malformed', message: 'no end', line: 3, column: 4 };

describe('the end of a run', () => {
  test.each<[RunEnd, FatalError | undefined]>([
    [{ kind: 'permanent error', fatal }, fatal],
    [{ kind: 'transient error', message: 'away' }, undefined],
    [{ kind: 'terminal written' }, undefined],
    [{ kind: 'held' }, undefined],
    [{ kind: 'stopped' }, undefined],
  ])('[P3] %j frees the lock and keeps what the load is told', (end, kept) => {
    const { locks, loads } = ended(end)._unsafeUnwrap();
    expect(locks).toEqual({ feedprocessor: { token: 5, holder: undefined, renewedAtMs: 1 } });
    expect(loads).toHaveLength(1);
    expect(loads![0]!.fatal).toEqual(kept);
    expect(loads![0]).toMatchObject({ catalogVersion: 3, updatedAtMs: 9 });
  });
  test('[P3] a run whose load has another generation only frees its lock', () => {
    const change = ended({ kind: 'terminal written' }, { generation: 4 })._unsafeUnwrap();
    expect(change).toEqual({ locks: { feedprocessor: { token: 5, holder: undefined, renewedAtMs: 1 } } });
  });
  test.each([
    ['another token', { token: 4 }],
    ['a lock that the watchdog freed', { isFreed: true }],
  ])('[P3] %s ends nothing', (_name, lock) => {
    expect(ended({ kind: 'terminal written' }, lock)._unsafeUnwrapErr()).toEqual({ kind: 'LockLost' });
  });
});

describe('a removal', () => {
  test('[P1] makes the next version of the feed, and a load without a file', () => {
    const feed = sampleFeed();
    const change = decideRemoval(sampleStored({ open: [] }), 'remove', {
      nowMs: 50,
      settings,
    })._unsafeUnwrap();
    expect(change.feed).toMatchObject({ status: 'removed', version: feed.version + 1, changedAtMs: 50 });
    expect(change.link).toBe('gone');
    expect(change.loads).toMatchObject([
      { origin: 'removal', absent: 'remove', task: { id: change.feed!.lastTask, purpose: 'removal' } },
    ]);
  });
  test('[P1] a feed is removed once', () => {
    const stored = sampleStored({ feed: { ...sampleFeed(), status: 'removed' } });
    expect(decideRemoval(stored, 'remove', { nowMs: 50, settings })._unsafeUnwrapErr()).toEqual({
      kind: 'FeedNotFound',
    });
  });
});
