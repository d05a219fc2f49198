import { expect, test } from 'vitest';
import { makeBlockedPartitions } from './blocked-partitions.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { recordingTelemetry } from '../testing/recording-telemetry.ts';

const at = (offset: number, reason = 'busy', partition = 3) => ({
  group: 'g',
  topic: 't',
  partition,
  offset,
  key: `k${offset}`,
  reason,
});
const open = () => {
  const time = manualClock(1_000);
  const recorded = recordingTelemetry();
  const blocked = makeBlockedPartitions({ clock: time.clock, telemetry: recorded.telemetry, afterMs: 100 });
  return { ...time, ...recorded, blocked };
};
const GAUGE = 'doska_log_blocked_seconds g t 3';

test('[X1] a partition that is blocked for long is named once in the log, as a gauge and in the list, with its record', async () => {
  const { blocked, advance, lines, gauges, pending } = open();
  blocked.blocked(at(7));
  await advance(50);
  blocked.blocked(at(7, 'still busy'));
  await advance(49);
  expect([lines, blocked.list(), gauges()]).toEqual([[], [], {}]);
  await advance(1);
  const known = { ...at(7, 'still busy'), sinceMs: 1_000 };
  expect(blocked.list()).toEqual([known]);
  expect(lines).toMatchObject([{ level: 'error', ...known, since: '1970-01-01T00:00:01.000Z' }]);
  await advance(900);
  blocked.blocked(at(7));
  await advance(1_000);
  expect(lines).toHaveLength(1);
  expect(gauges()[GAUGE]).toBe(2);
  blocked.freed(at(7));
  expect([blocked.list(), gauges(), pending()]).toEqual([[], {}, 0]);
});
test('[X1] another record of the partition is blocked anew, and a short wait is not reported', async () => {
  const { blocked, advance, lines, pending } = open();
  blocked.blocked(at(7));
  await advance(90);
  blocked.blocked(at(8));
  await advance(90);
  blocked.freed(at(8));
  blocked.freed(at(8));
  await advance(1_000);
  expect([lines, pending()]).toEqual([[], 0]);
});
