import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import { unavailable, type Clock, type Unavailable } from '../../kernel/index.ts';
import type { ClickRates, CurrentRates } from './click-rates.port.ts';
import type { CtrRecord } from './ctr-record.store.ts';
import { CTR_ROWS_MAX, type ClickRateStore } from './ctr-stores.port.ts';

export type ReadRatesNeeds = {
  readonly record: CtrRecord;
  readonly rates: ClickRateStore;
  readonly clock: Clock;
  /** The rates of an epoch are kept for so long after it ceased to be current. */
  readonly graceMs: number;
};

const ATTEMPTS_MAX = 3;

/** The rates of the current load, for one batch of offers: the current epoch is read anew, then its rows at once. */
export const makeReadRates = ({ record, rates, clock, graceMs }: ReadRatesNeeds): ClickRates => {
  const readOnce = async (ids: readonly OfferId[]): Promise<Result<CurrentRates, Unavailable>> => {
    const kept = await record.read();
    if (kept.isErr()) return err(kept.error);
    const { current } = kept.value.state;
    if (!current) return ok({ epochMs: 0, rates: new Map() });
    const all = new Map<OfferId, number>();
    for (let from = 0; from < ids.length; from += CTR_ROWS_MAX) {
      const found = await rates.rates(current.epochMs, ids.slice(from, from + CTR_ROWS_MAX));
      if (found.isErr()) return err(found.error);
      for (const [id, ctr] of found.value) all.set(id, ctr);
    }
    return ok({ epochMs: current.epochMs, rates: all });
  };
  const read = async (ids: readonly OfferId[]): Promise<Result<CurrentRates, Unavailable>> => {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const sinceMs = clock.nowMs();
      const found = await readOnce(ids);
      // After a longer pause the rows of the epoch may be deleted: then a missing rate would mean nothing.
      if (found.isErr() || clock.nowMs() - sinceMs < graceMs) return found;
    }
    return err(unavailable('click rates could not be read in time'));
  };
  return { of: (ids) => new ResultAsync(read(ids)) };
};
