import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import { unavailable, type Clock, type Unavailable } from '../../kernel/index.ts';
import type { ClickRates, CurrentRates } from './click-rates.port.ts';
import type { CtrRecord, KeptState } from './ctr-record.store.ts';
import { raisedTo } from './ctr-state.ts';
import { CTR_ROWS_MAX, type ClickRateStore } from './ctr-stores.port.ts';

export type ReadRatesNeeds = {
  readonly record: CtrRecord;
  readonly rates: ClickRateStore;
  readonly clock: Clock;
  /** The rates of an epoch are kept for so long after it ceased to be current. */
  readonly graceMs: number;
};

const ATTEMPTS_MAX = 3;
/** A batch may compose an offer several times, each time a millisecond later. */
const ROOM_MS = 1_000;
/** So the moment is raised every few seconds, and not for each batch. */
const LEAD_MS = 10_000;

/** The rates of the current load, for one batch of offers: the current epoch is read anew, then its rows at once. */
export const makeReadRates = ({ record, rates, clock, graceMs }: ReadRatesNeeds): ClickRates => {
  /** The state, after it allows documents that are composed about this moment. */
  const allowing = async (aboutMs: number): Promise<Result<KeptState, Unavailable>> => {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const kept = await record.read();
      if (kept.isErr()) return kept;
      const { current, composedUpToMs } = kept.value.state;
      const neededMs = Math.max(aboutMs, current?.fromMs ?? 0) + ROOM_MS;
      if (composedUpToMs >= neededMs) return kept;
      const raised = await record.write(kept.value, (state) => raisedTo(state, neededMs + LEAD_MS));
      if (raised.isOk()) return ok(raised.value);
      if (raised.error.kind === 'Unavailable') return err(raised.error);
    }
    return err(unavailable('the state of click rates changes all the time'));
  };
  const readOnce = async (
    ids: readonly OfferId[],
    aboutMs: number,
  ): Promise<Result<CurrentRates, Unavailable>> => {
    const kept = await allowing(aboutMs);
    if (kept.isErr()) return err(kept.error);
    const { current, composedUpToMs: untilMs } = kept.value.state;
    if (!current) return ok({ fromMs: 0, untilMs, rates: new Map() });
    const all = new Map<OfferId, number>();
    for (let from = 0; from < ids.length; from += CTR_ROWS_MAX) {
      const found = await rates.rates(current.epochMs, ids.slice(from, from + CTR_ROWS_MAX));
      if (found.isErr()) return err(found.error);
      for (const [id, ctr] of found.value) all.set(id, ctr);
    }
    return ok({ fromMs: current.fromMs, untilMs, rates: all });
  };
  const read = async (
    ids: readonly OfferId[],
    aboutMs: number,
  ): Promise<Result<CurrentRates, Unavailable>> => {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const sinceMs = clock.nowMs();
      const found = await readOnce(ids, aboutMs);
      // After a longer pause the rows of the epoch may be deleted: then a missing rate would mean nothing.
      if (found.isErr() || clock.nowMs() - sinceMs < graceMs) return found;
    }
    return err(unavailable('click rates could not be read in time'));
  };
  return { of: (ids, aboutMs) => new ResultAsync(read(ids, aboutMs)) };
};
