import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { Timer, TimerKey } from '../domain/timer.ts';

/** When active offers run out, and since when retired ones are; moved by `OfferStore.commit`. */
export interface Timers {
  /** Of the shard, those of one kind at `untilUs` or before, the longest overdue first, at most `limit` (and 1000). */
  due(
    what: Timer,
    shard: number,
    untilUs: number,
    limit: number,
  ): ResultAsync<readonly TimerKey[], Unavailable>;
}
