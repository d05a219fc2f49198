import { err, ok, type Result } from 'neverthrow';
import type { Clock, Unavailable } from '../../kernel/index.ts';
import type { CtrRecord, HourlyRecord } from './ctr-record.store.ts';
import { isPurgeable, purged } from './ctr-state.ts';
import { CTR_ROWS_MAX, type CtrStores, type QueuedOffer } from './ctr-stores.port.ts';

export type Purged = { readonly rates: number; readonly tables: number; readonly queued: number };
export type PurgeRates = (signal: AbortSignal) => Promise<Result<Purged, Unavailable>>;
export type PurgeRatesNeeds = {
  readonly record: CtrRecord;
  readonly remembered: HourlyRecord;
  readonly stores: CtrStores;
  readonly clock: Clock;
  readonly graceMs: number;
  readonly rememberedMs: number;
};

/** Deletes the rates of other epochs than the current one, and what is left of hourly tables that are forgotten. */
export const makePurgeRates = (needs: PurgeRatesNeeds): PurgeRates => {
  const { record, remembered, stores, clock, graceMs, rememberedMs } = needs;

  const purgeEpochs = async (signal: AbortSignal): Promise<Result<number, Unavailable>> => {
    const kept = await record.read();
    if (kept.isErr()) return err(kept.error);
    const { state } = kept.value;
    const gone: number[] = [];
    let deleted = 0;
    for (let after = 0; !signal.aborted;) {
      const epoch = await stores.rates.nextEpoch(after);
      if (epoch.isErr()) return err(epoch.error);
      if (epoch.value === undefined) break;
      after = epoch.value;
      if (!isPurgeable(state, after, clock.nowMs(), graceMs)) continue;
      for (let slice = CTR_ROWS_MAX; slice === CTR_ROWS_MAX && !signal.aborted;) {
        const purge = await stores.rates.purge(after, CTR_ROWS_MAX);
        if (purge.isErr()) return err(purge.error);
        slice = purge.value;
        deleted += slice;
      }
      if (!signal.aborted) gone.push(after);
    }
    // An epoch without rows is not found above.
    const empty = state.retired.flatMap(({ epochMs, atMs }) =>
      clock.nowMs() >= atMs + 2 * graceMs ? [epochMs] : [],
    );
    const forgotten = [...gone, ...empty];
    if (forgotten.length === 0) return ok(deleted);
    const written = await record.write(kept.value, (now) => purged(now, forgotten));
    // The next run removes the names of the epochs again.
    if (written.isErr() && written.error.kind === 'Unavailable') return err(written.error);
    return ok(deleted);
  };
  /** Offers that could not be converted for days do not stay in the queue without end. */
  const purgeQueue = async (beforeMs: number, signal: AbortSignal): Promise<Result<number, Unavailable>> => {
    const tables = await remembered.list();
    if (tables.isErr()) return err(tables.error);
    const old = new Set(
      tables.value.flatMap(({ table, loadedAtMs }) => (loadedAtMs < beforeMs ? [table] : [])),
    );
    let dropped = 0;
    for (let after: QueuedOffer | undefined; old.size > 0 && !signal.aborted;) {
      const some = await stores.queue.next(after, CTR_ROWS_MAX);
      if (some.isErr()) return err(some.error);
      const left = some.value.filter(({ table }) => old.has(table));
      if (left.length > 0) {
        const removed = await stores.queue.remove(left);
        if (removed.isErr()) return err(removed.error);
        dropped += left.length;
      }
      if (some.value.length < CTR_ROWS_MAX) break;
      after = some.value.at(-1);
    }
    return ok(dropped);
  };

  return async (signal) => {
    const rates = await purgeEpochs(signal);
    if (rates.isErr()) return err(rates.error);
    const beforeMs = clock.nowMs() - rememberedMs;
    const queued = await purgeQueue(beforeMs, signal);
    if (queued.isErr()) return err(queued.error);
    const tables = await remembered.forget(beforeMs);
    return tables.map((forgotten) => ({ rates: rates.value, queued: queued.value, tables: forgotten }));
  };
};
