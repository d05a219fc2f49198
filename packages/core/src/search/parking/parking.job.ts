import { err, ok } from 'neverthrow';
import type { JobSpec } from '../../kernel/index.ts';
import type { ParkedOffers } from './parked-offers.use-case.ts';

/** Retries parked offers, in one process at a time. */
export const parkingJob = (parking: ParkedOffers, everyMs: number): JobSpec => ({
  name: 'search-parked',
  everyMs,
  run: async ({ signal }) => {
    const done = await parking.retryDue(signal);
    if (done.isErr()) return err({ kind: 'JobFailed', reason: done.error.what });
    return ok(`${done.value.left} offers left the lot, ${done.value.stayed} stay`);
  },
});
