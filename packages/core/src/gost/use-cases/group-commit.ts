import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { makeBatcher, type Batcher, type Clock, type Unavailable } from '../../kernel/index.ts';
import { unitBytes, type CommitUnit, type Conflict } from '../domain/commit-unit.ts';
import { COMMIT_BYTES_MAX, type OfferStore } from '../ports/offer-store.port.ts';
import { GROUP_UNITS_MAX } from './commit-groups.ts';
import type { Recalling } from './offer-memory.ts';

export type GroupCommitOptions = {
  readonly clock: Clock;
  readonly lingerMs?: number;
  readonly unitsMax?: number;
  readonly waitingMax?: number;
  /** Groups under way at the same time. */
  readonly flushesMax?: number;
};
type Outcomes = readonly Result<void, Conflict | Unavailable>[];
export type GroupCommit = OfferStore & Partial<Recalling> & { close(): Promise<void> };

/** A store whose commits travel together: units of all callers within a few milliseconds are one commit of `store`. */
export const makeGroupCommit = (
  store: OfferStore & Partial<Recalling>,
  {
    clock,
    lingerMs = 2,
    unitsMax = GROUP_UNITS_MAX,
    waitingMax = 10_000,
    flushesMax = 2,
  }: GroupCommitOptions,
): GroupCommit => {
  /** An error that will come again is somebody's own: halves find whose it is, and the others commit. */
  const flush = async (units: readonly CommitUnit[]): Promise<Outcomes> => {
    const answer = await store.commit(units);
    if (answer.isOk()) return answer.value;
    if (answer.error.retryable || units.length === 1) return units.map(() => err(answer.error));
    const half = units.length >> 1;
    return [...(await flush(units.slice(0, half))), ...(await flush(units.slice(half)))];
  };
  const batcher: Batcher<CommitUnit, void, Conflict | Unavailable> = makeBatcher({
    ...{ name: 'gost.commit', clock, countMax: unitsMax, lingerMs, waitingMax, flushesMax },
    bytesMax: COMMIT_BYTES_MAX,
    bytesOf: unitBytes,
    flush: (units) => new ResultAsync(flush(units).then((outcomes) => ok(outcomes))),
  });
  const commit = async (
    units: readonly CommitUnit[],
  ): Promise<Result<readonly Result<void, Conflict>[], Unavailable>> => {
    const outcomes = await Promise.all(units.map((unit) => batcher.add(unit)));
    const settled: Result<void, Conflict>[] = [];
    for (const outcome of outcomes) {
      if (outcome.isOk()) settled.push(ok(undefined));
      else if (outcome.error.kind === 'Conflict') settled.push(err(outcome.error));
      else return err(outcome.error);
    }
    return ok(settled);
  };
  return {
    ...(store.recall ? { recall: store.recall } : {}),
    load: (ids, known) => store.load(ids, known),
    history: (id, page) => store.history(id, page),
    rewriteHistory: (entries) => store.rewriteHistory(entries),
    commit: (units) => new ResultAsync(commit(units)),
    close: () => batcher.close(),
  };
};
