import { Tokens } from '@doska/app-composition';
import { makeChangeOffers, makeExpireDueOffers } from '@doska/core/gost';
import { sleep, type ShardWork } from '@doska/core/kernel';
import type { Container } from 'inversify';

const BATCH = 500;

/** Expires what has run out in a shard, batch by batch, then waits. What fails comes again with the next look. */
export const expiryWork = (container: Container): ShardWork => {
  const [stores, deciding, { expireEveryMs }] = [
    container.get(Tokens.gostStores),
    container.get(Tokens.gostDeciding),
    container.get(Tokens.config),
  ];
  const { logger, metrics } = container.get(Tokens.telemetry);
  const { clock } = deciding;
  const expired = metrics.counter({ name: 'doska_gost_expired_total', help: 'Offers that have run out.' });
  const expireDue = makeExpireDueOffers({
    ...{ timers: stores.timers, clock },
    changeOffers: makeChangeOffers({ ...deciding, ...stores }),
  });
  return async ({ shard }, signal) => {
    while (!signal.aborted) {
      const outcome = await expireDue(shard, BATCH);
      const more = outcome.isOk() && outcome.value.found === BATCH && outcome.value.expired > 0;
      if (outcome.isErr()) logger.warn('expiry failed', { shard, error: outcome.error });
      else {
        expired.add(outcome.value.expired);
        if (outcome.value.failed > 0) logger.warn('some offers did not expire', { shard, ...outcome.value });
      }
      if (!more) await sleep(clock, expireEveryMs, signal);
    }
  };
};
