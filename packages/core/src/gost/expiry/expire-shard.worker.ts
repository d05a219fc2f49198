import { limitRepeats, sleep, type Clock, type ShardWork, type Telemetry } from '../../kernel/index.ts';
import type { ExpireDueOffers } from './expire-due-offers.use-case.ts';

export type ExpireShardNeeds = {
  readonly expireDue: ExpireDueOffers;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly everyMs: number;
};

const BATCH = 500;

/** Expires the due offers of a shard in batches, then waits. A failed offer is tried again by the next look. */
export const makeExpireShard = ({ expireDue, clock, telemetry, everyMs }: ExpireShardNeeds): ShardWork => {
  const { metrics } = telemetry;
  const logger = limitRepeats(telemetry.logger, clock);
  const expired = metrics.counter({ name: 'doska_gost_expired_total', help: 'Offers that have expired.' });
  return async ({ shard }, signal) => {
    while (!signal.aborted) {
      const outcome = await expireDue(shard, BATCH);
      const more = outcome.isOk() && outcome.value.found === BATCH && outcome.value.expired > 0;
      if (outcome.isErr()) logger.warn('expiry failed', { shard, error: outcome.error });
      else {
        expired.add(outcome.value.expired);
        if (outcome.value.failed > 0) logger.warn('some offers did not expire', { shard, ...outcome.value });
      }
      if (!more) await sleep(clock, everyMs, signal);
    }
  };
};
