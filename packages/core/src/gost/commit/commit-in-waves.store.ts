import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import { wavesOf, type CommitUnit, type Conflict } from './commit-unit.ts';

/** Commits units that share no offer, draft owner or feed. Returns the indexes of the refused ones. */
export type CommitWave = (units: readonly CommitUnit[]) => ResultAsync<ReadonlySet<number>, Unavailable>;

/** Implements `OfferStore.commit` for a store whose transaction takes one wave: commits wave after wave, outcomes in the order of the units. */
export const commitInWaves = (
  units: readonly CommitUnit[],
  commitWave: CommitWave,
): ResultAsync<readonly Result<void, Conflict>[], Unavailable> => {
  const commit = async (): Promise<Result<readonly Result<void, Conflict>[], Unavailable>> => {
    const outcomes = new Map<CommitUnit, Result<void, Conflict>>();
    for (const wave of wavesOf(units)) {
      const refused = await commitWave(wave);
      if (refused.isErr()) return err(refused.error);
      wave.forEach((unit, i) =>
        outcomes.set(unit, refused.value.has(i) ? err({ kind: 'Conflict' }) : ok(undefined)),
      );
    }
    return ok(units.map((unit) => outcomes.get(unit) ?? ok(undefined)));
  };
  return new ResultAsync(commit());
};
