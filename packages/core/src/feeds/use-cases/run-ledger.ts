import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { FeedKey } from '../../gost/index.ts';
import type { Clock, Unavailable } from '../../kernel/index.ts';
import { withErrors } from '../domain/decide-answers.ts';
import { decideRenewal, decideRunEnd, type LockLost, type RunEnd } from '../domain/decide-run.ts';
import type { FeedTaskId } from '../domain/feed-task.ts';
import {
  noLoadProgress,
  noStatistics,
  type LoadProgress,
  type OfferError,
  type SavedResults,
} from '../domain/load.ts';
import type { FeedsSettings } from '../domain/settings.ts';
import type { FeedStore } from '../ports/feed-store.port.ts';
import { changeFeed } from './change-feed.ts';
import { withoutOwner } from './manage-feeds.ts';

export type RunLedgerNeeds = {
  readonly feeds: FeedStore;
  readonly clock: Clock;
  readonly settings: FeedsSettings;
};
/** What a run has done so far. It is saved with every renewal of the lock and at the end. */
export interface RunLedger {
  readonly progress: () => LoadProgress;
  readonly note: (change: Partial<LoadProgress>) => void;
  readonly setCatalogVersion: (version: number) => void;
  /** Errors that are saved here because their offers are not sent. */
  readonly addError: (error: OfferError) => void;
  /** Saves the progress and renews the lock. Calls at the same time are one renewal. */
  readonly renew: () => ResultAsync<void, LockLost | Unavailable>;
  /** Renews if the last renewal is old, or many errors wait. */
  readonly renewIfDue: () => Promise<Result<void, LockLost | Unavailable>>;
  /** Saves how the run ended and frees the lock. */
  readonly finish: (end: RunEnd) => ResultAsync<RunEnd['kind'], LockLost | Unavailable>;
}
const UNSAVED_MAX = 1_000;

export const openRunLedger = (
  { feeds, clock, settings }: RunLedgerNeeds,
  key: FeedKey,
  run: { readonly task: FeedTaskId; readonly token: number },
): RunLedger => {
  const { task, token } = run;
  let progress: LoadProgress = noLoadProgress;
  let catalogVersion: number | undefined;
  let unsaved: OfferError[] = [];
  let renewedAtMs = clock.nowMs();
  let renewing: ResultAsync<void, LockLost | Unavailable> | undefined;

  /** Errors counted together with what is saved by now. */
  const results = async (
    told: readonly OfferError[],
  ): Promise<Result<readonly SavedResults[], Unavailable>> => {
    if (told.length === 0) return ok([]);
    return feeds.statistics(key, [task]).map((known) => {
      const kept = known.get(task);
      const before = kept?.generation === token ? kept : { ...noStatistics, generation: token };
      const { statistics, stored } = withErrors(before, told, settings.errorsStoredMax);
      return [{ task, generation: token, batches: [], statistics, errors: stored }];
    });
  };
  const commitRenewal = (): ResultAsync<void, LockLost | Unavailable> => {
    // The run may find more errors while these are saved.
    const told = [...unsaved];
    return changeFeed<void, LockLost | Unavailable>(feeds, key, async (stored) => {
      if (!stored) return err({ kind: 'LockLost' });
      const saved = await results(told);
      if (saved.isErr()) return err(saved.error);
      const news = { progress, catalogVersion, results: saved.value };
      return decideRenewal(stored, run, news, clock.nowMs()).map((change) => ({ value: undefined, change }));
    })
      .mapErr(withoutOwner)
      .andTee(() => {
        unsaved = unsaved.slice(told.length);
        renewedAtMs = clock.nowMs();
      });
  };
  const renew = (): ResultAsync<void, LockLost | Unavailable> => {
    const over = (): void => void (renewing = undefined);
    renewing ??= commitRenewal().andTee(over).orTee(over);
    return renewing;
  };
  return {
    progress: () => progress,
    note: (change) => void (progress = { ...progress, ...change }),
    setCatalogVersion: (version) => void (catalogVersion = version),
    addError: (error) => void unsaved.push(error),
    renew,
    renewIfDue: async () =>
      clock.nowMs() - renewedAtMs >= settings.renewMs || unsaved.length >= UNSAVED_MAX
        ? renew()
        : ok(undefined),
    finish: (end) =>
      changeFeed<RunEnd['kind'], LockLost | Unavailable>(feeds, key, async (stored) => {
        if (!stored) return err({ kind: 'LockLost' });
        const saved = await results(unsaved);
        if (saved.isErr()) return err(saved.error);
        const news = { progress, catalogVersion, results: saved.value };
        return decideRunEnd(stored, run, news, end, { nowMs: clock.nowMs(), settings }).map((change) => ({
          value: end.kind,
          change,
        }));
      }).mapErr(withoutOwner),
  };
};
