import { expect, test } from 'vitest';
import { unavailable } from './errors.ts';
import { limitRepeats } from './limit-repeats.ts';
import { manualClock } from './testing/manual-clock.ts';
import { recordingTelemetry } from './testing/recording-telemetry.ts';

const open = () => {
  const time = manualClock(1_000);
  const { telemetry, lines } = recordingTelemetry();
  return { ...time, lines, logger: limitRepeats(telemetry.logger, time.clock, 100) };
};

test('[X23] a failure is logged at once, its repetitions once in a period with their count', async () => {
  const { logger, lines, advance } = open();
  for (let n = 0; n < 10; n++) logger.warn('read failed', { error: unavailable('db') });
  expect(lines).toEqual([{ level: 'warn', message: 'read failed', error: unavailable('db') }]);
  await advance(99);
  logger.warn('read failed', { error: unavailable('db') });
  expect(lines).toHaveLength(1);
  await advance(1);
  logger.warn('read failed', { error: unavailable('db') });
  expect(lines[1]).toMatchObject({ message: 'read failed', repeated: 10 });
  await advance(100);
  logger.warn('read failed', { error: unavailable('db') });
  expect(lines[2]).not.toHaveProperty('repeated');
});
test('[X23] another failure is logged at once: another message, level or kind of error', () => {
  const { logger, lines } = open();
  logger.warn('read failed', { error: unavailable('db') });
  logger.warn('delete failed', { error: unavailable('db') });
  logger.error('read failed', { error: unavailable('db') });
  logger.warn('read failed', { error: { kind: 'Fenced' } });
  logger.warn('read failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }) });
  logger.warn('read failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNRESET' }) });
  logger.info('read failed');
  logger.info('read failed');
  expect(lines).toHaveLength(8);
});
test('[X23] a clock that was set back does not silence a failure', () => {
  const { lines } = open();
  const times = [1_000, 500];
  const { telemetry } = recordingTelemetry();
  const logger = limitRepeats(
    { ...telemetry.logger, warn: (message) => void lines.push({ level: 'warn', message }) },
    { nowMs: () => times.shift() ?? 0 },
    100,
  );
  logger.warn('read failed');
  logger.warn('read failed');
  expect(lines).toHaveLength(2);
});
