import { err, ok, type Result } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { CtrRecord, HourlyLoad, HourlyRecord } from './ctr-record.store.ts';
import type { CtrState } from './ctr-state.ts';
import type { CtrQueue } from './ctr-stores.port.ts';

export type CtrStatus = CtrState & {
  /** Offers that wait to be sent again. */
  readonly queued: number;
  /** The hourly tables that are remembered, newest first, at most 100. */
  readonly hourly: readonly HourlyLoad[];
};
export type ReadCtrStatus = () => Promise<Result<CtrStatus, Unavailable>>;

const SHOWN_MAX = 100;

export const makeReadCtrStatus =
  (needs: {
    readonly record: CtrRecord;
    readonly remembered: HourlyRecord;
    readonly queue: CtrQueue;
  }): ReadCtrStatus =>
  async () => {
    const kept = await needs.record.read();
    if (kept.isErr()) return err(kept.error);
    const queued = await needs.queue.count();
    if (queued.isErr()) return err(queued.error);
    const hourly = await needs.remembered.list();
    if (hourly.isErr()) return err(hourly.error);
    const newest = hourly.value.toSorted((a, b) => b.loadedAtMs - a.loadedAtMs).slice(0, SHOWN_MAX);
    return ok({ ...kept.value.state, queued: queued.value, hourly: newest });
  };
