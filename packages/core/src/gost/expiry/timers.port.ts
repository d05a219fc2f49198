import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { Timer, TimerKey } from './timer.ts';

/** The moments when active offers expire and when retired ones were retired. `OfferStore.commit` writes them. */
export interface Timers {
  /** Timers of one shard and kind at or before `untilUs`, longest overdue first, at most `limit` (and 1000). */
  due(
    what: Timer,
    shard: number,
    untilUs: number,
    limit: number,
  ): ResultAsync<readonly TimerKey[], Unavailable>;
}
