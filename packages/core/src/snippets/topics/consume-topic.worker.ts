import type { BatchHandler, BatchOutcome, Clock } from '../../kernel/index.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { inputOf, type ApplyRecords } from './apply-records.use-case.ts';
import type { SettleRecords } from './settle-records.use-case.ts';
import { recordOf } from './topic-record.ts';
import type { WaitingRetries } from './waiting-retries.ts';

export type ConsumeNeeds = {
  readonly current: () => LoadedConfig;
  readonly apply: ApplyRecords;
  readonly settle: SettleRecords;
  readonly waiting: WaitingRetries;
  readonly clock: Clock;
  readonly retryMs: number;
  /** The main flow pauses while more records wait in the retry flow. */
  readonly retriesWaitingMax: number;
};
/** Records that are prepared and committed together. */
export const STEP_RECORDS = 200;

/** The main flow of a section. The position moves past a record when it is applied, superseded, or durable elsewhere. */
export const makeConsumeTopic =
  (needs: ConsumeNeeds) =>
  (section: string): BatchHandler => {
    const { current, apply, settle, waiting, clock, retryMs, retriesWaitingMax } = needs;
    const blocked = (handled: number, reason: string): BatchOutcome => ({
      kind: 'blocked',
      handled,
      retryAtMs: clock.nowMs() + retryMs,
      reason,
    });
    return async ({ records }, signal) => {
      // The whole batch works with one config.
      const loaded = current();
      if (!inputOf(loaded, { section, position: records[0]!.position }))
        return blocked(0, `the section ${section} does not read this topic now`);
      for (let handled = 0; handled < records.length; handled += STEP_RECORDS) {
        if (signal.aborted) return { kind: 'again', handled };
        if ((await waiting.count()) > retriesWaitingMax)
          return blocked(handled, 'too many records wait in the retry flow');
        const step = records.slice(handled, handled + STEP_RECORDS).map((one) => recordOf(section, one));
        const outcomes = await apply(loaded, step);
        const all = step.map((record, i) => ({ record, attempt: 0, outcome: outcomes[i]! }));
        if (!(await settle(loaded, all)))
          return blocked(handled, 'retries and dead letters could not be stored');
      }
      return { kind: 'done' };
    };
  };
