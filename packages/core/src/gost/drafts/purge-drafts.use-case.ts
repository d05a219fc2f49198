import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { Clock, Unavailable } from '../../kernel/index.ts';
import type { DraftStore } from './draft-store.port.ts';
import type { ProcessOffers } from '../commit/process-offers.store.ts';
import { nowUsOf, type GostSettings } from '../settings.ts';

export type PurgeDraftsNeeds = {
  readonly drafts: DraftStore;
  readonly offers: Pick<ProcessOffers, 'commit'>;
  readonly clock: Clock;
  readonly settings: Pick<GostSettings, 'anonymousDraftUs' | 'publishedDraftUs'>;
};
/** `more`: the limit was reached, call again. */
export type Purged = { readonly purged: number; readonly forgotten: number; readonly more: boolean };
export type PurgeDrafts = (limit: number) => ResultAsync<Purged, Unavailable>;

/** Deletes old anonymous drafts and old records of published drafts. A draft that is saved meanwhile stays. */
export const makePurgeDrafts = ({ drafts, offers, clock, settings }: PurgeDraftsNeeds): PurgeDrafts => {
  const purge = async (limit: number): Promise<Result<Purged, Unavailable>> => {
    const nowUs = nowUsOf(clock);
    const abandoned = await drafts.abandoned(nowUs - settings.anonymousDraftUs, limit);
    if (abandoned.isErr()) return err(abandoned.error);
    const units = abandoned.value.map(({ owner, version, draft }) => {
      const slot = { owner, expectedVersion: version, draft: undefined };
      return { changes: [], drafts: { slots: [slot], erased: draft ? [draft.id] : [] } };
    });
    const outcomes = await Promise.all(units.map((unit) => offers.commit(unit)));
    const failed = outcomes.find((outcome) => outcome.isErr() && outcome.error.kind === 'Unavailable');
    if (failed?.isErr()) return err(failed.error as Unavailable);
    const forgotten = await drafts.forgetPublished(nowUs - settings.publishedDraftUs, limit);
    return forgotten.map((count) => ({
      purged: outcomes.filter((outcome) => outcome.isOk()).length,
      forgotten: count,
      more: units.length === limit || count === limit,
    }));
  };
  return (limit) => new ResultAsync(purge(limit));
};

/** Purges until nothing is left, and returns the counts. */
export const purgeAll = async (
  purge: PurgeDrafts,
  limit: number,
  signal: AbortSignal,
): Promise<Result<Omit<Purged, 'more'>, Unavailable>> => {
  let purged = 0;
  let forgotten = 0;
  for (;;) {
    const step = await purge(limit);
    if (step.isErr()) return err(step.error);
    purged += step.value.purged;
    forgotten += step.value.forgotten;
    if (!step.value.more || signal.aborted) return ok({ purged, forgotten });
  }
};
