import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Clock, JobSpec, Unavailable } from '../../kernel/index.ts';
import { COUNT_ROWS_MAX, type ClickCountStore } from './click-counts.port.ts';
import { HOUR_MS, type EventSettings } from './search-event.ts';

type Needs = {
  readonly counts: Pick<ClickCountStore, 'forget' | 'purge'>;
  readonly clock: Clock;
  readonly settings: Pick<
    EventSettings,
    'rememberedMs' | 'windowHours' | 'ratesEveryMs' | 'lateMs' | 'upkeepEveryMs'
  >;
};

/** Forgets what old answers showed, and deletes counts that no table needs any more. */
export const eventUpkeepJob = ({ counts, clock, settings }: Needs): JobSpec => {
  const { rememberedMs, windowHours, ratesEveryMs, lateMs, upkeepEveryMs } = settings;
  const repeated = async (
    step: () => ResultAsync<number, Unavailable>,
    signal: AbortSignal,
  ): Promise<Result<number, Unavailable>> => {
    let rows = 0;
    for (let slice = COUNT_ROWS_MAX; slice === COUNT_ROWS_MAX && !signal.aborted;) {
      const done = await step();
      if (done.isErr()) return err(done.error);
      slice = done.value;
      rows += slice;
    }
    return ok(rows);
  };
  return {
    name: 'search-events-purge',
    everyMs: upkeepEveryMs,
    run: async ({ signal }) => {
      const nowMs = clock.nowMs();
      const forgotten = await repeated(() => counts.forget(nowMs - rememberedMs, COUNT_ROWS_MAX), signal);
      if (forgotten.isErr()) return err({ kind: 'JobFailed', reason: forgotten.error.what });
      // A table may be read for as long as it is the newest one.
      const oldest = Math.floor((nowMs - lateMs - 2 * ratesEveryMs) / HOUR_MS) - windowHours;
      const purged = await repeated(() => counts.purge(oldest, COUNT_ROWS_MAX), signal);
      if (purged.isErr()) return err({ kind: 'JobFailed', reason: purged.error.what });
      return ok(`${forgotten.value} shown offers forgotten, ${purged.value} old counts deleted`);
    },
  };
};
