import { errAsync, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { unavailable, type MessageLog } from '@doska/core/kernel';
import { manualClock, recordingTelemetry } from '@doska/core/kernel/testing';
import { lagMetrics } from './lag-metrics.ts';

test('[X20] the lag of a group disappears when the group is gone or cannot be measured, and its age grows meanwhile', async () => {
  const time = manualClock(10_000);
  const { telemetry, gauges } = recordingTelemetry();
  let groups = ['a', 'b'];
  let fails = '';
  const log = {
    groups: () =>
      fails === 'all'
        ? errAsync(unavailable('log'))
        : okAsync(groups.map((group) => ({ group, topic: 't' }))),
    lag: (group: string) =>
      fails === group
        ? errAsync(unavailable('log'))
        : okAsync([{ partition: 0, committed: 1, head: 3, lag: 2, oldestUnreadAtMs: 9_000 }]),
  } as unknown as MessageLog;
  const stop = new AbortController();
  const part = lagMetrics({ app: 'x', log, clock: time.clock, telemetry, everyMs: 1_000 });
  const ended = part.run(stop.signal, () => {});
  const shown = (): string[] => Object.keys(gauges()).filter((key) => key.includes('lag_records'));
  await time.advance(500);
  expect(shown()).toEqual(['doska_log_lag_records a t', 'doska_log_lag_records b t']);
  expect(gauges()['doska_log_oldest_unread_seconds a t']).toBe(1.5);
  groups = ['a'];
  await time.advance(1_000);
  expect(shown()).toEqual(['doska_log_lag_records a t']);
  fails = 'a';
  await time.advance(1_000);
  expect(gauges()).toEqual({});
  fails = '';
  await time.advance(1_000);
  expect(shown()).toEqual(['doska_log_lag_records a t']);
  fails = 'all';
  await time.advance(1_000);
  expect(gauges()).toEqual({});
  stop.abort();
  await ended;
});
