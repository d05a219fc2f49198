import type { Clock, LogAdmin, Metrics } from '../../kernel/index.ts';
import { RETRY_TOPIC } from '../config/check-names.ts';
import { RETRY_GROUP } from './topic-record.ts';

/** Knows about how many records wait in the retry flow, of all processes. */
export type WaitingRetries = {
  /** Adds what this process sent since the log was asked. */
  readonly add: (count: number) => void;
  readonly count: () => Promise<number>;
};
const ASK_EVERY_MS = 1_000;

export const makeWaitingRetries = (
  log: Pick<LogAdmin, 'lag'>,
  clock: Clock,
  metrics: Metrics,
): WaitingRetries => {
  const gauge = metrics.gauge({
    name: 'doska_snippets_retries_waiting',
    help: 'Records that wait in the retry flow of snippets.',
  });
  let known = 0;
  let askedAtMs = -Infinity;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    const lag = await log.lag(RETRY_GROUP, RETRY_TOPIC);
    // If the log does not answer, the last number stays.
    if (lag.isOk()) known = lag.value.reduce((sum, one) => sum + one.lag, 0);
    askedAtMs = clock.nowMs();
    gauge.set(known);
  };
  return {
    add: (count) => void (known += count),
    count: async () => {
      const agoMs = clock.nowMs() - askedAtMs;
      if (agoMs >= ASK_EVERY_MS || agoMs < 0) await (asking ??= ask().finally(() => (asking = undefined)));
      return known;
    },
  };
};
