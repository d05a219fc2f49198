import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { makeBatcher, type Batcher, type Clock, type Unavailable } from '../../kernel/index.ts';
import type { HistoryEntry } from '../history/history.ts';
import type { Offer } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import {
  COMMIT_BYTES_MAX,
  COMMIT_UNITS_MAX,
  unitBytes,
  type CommitUnit,
  type Conflict,
} from './commit-unit.ts';
import { rememberingOffers } from './offer-memory.store.ts';
import type { OfferStore } from './offer-store.port.ts';

/**
 * The offers as one process uses them. Commits of all callers travel in groups, and recently used offers are remembered.
 * Everything in a process shares one.
 */
export interface ProcessOffers {
  /** As `OfferStore.load`. A remembered offer is checked against the store, and read again only if its version is old. */
  load(ids: readonly OfferId[]): ResultAsync<readonly Offer[], Unavailable>;
  /** The offer as this process last saw it, maybe outdated. Use it only for a decision whose commit checks the version. */
  recall(id: OfferId): Offer | undefined;
  /**
   * Commits the unit whole or not at all. `Conflict`: something it was decided on has changed; nothing is written.
   * `Unavailable`: the outcome is unknown; load the offer and look for the command.
   */
  commit(unit: CommitUnit): ResultAsync<void, Conflict | Unavailable>;
  history: OfferStore['history'];
  rewriteHistory: OfferStore['rewriteHistory'];
  /** Commits what waits; later units are refused. */
  close(): Promise<void>;
}

export type ProcessOffersOptions = {
  readonly clock: Clock;
  /** How long a unit waits for others. */
  readonly lingerMs?: number;
  /** Units in one transaction. More gain nothing and make the others wait. */
  readonly unitsMax?: number;
  /** Units that wait for their group; more are refused. */
  readonly waitingMax?: number;
  /** Groups that are committed at the same time. */
  readonly groupsMax?: number;
  /** Memory for offers, in bytes; 0 remembers none. */
  readonly memoryBytes?: number;
  /** Hears of the shards of the export queue whose records were committed. */
  readonly onQueued?: (shards: ReadonlySet<number>) => void;
};

type Outcome = Result<void, Conflict | Unavailable>;

/** On a non-retryable error, bisects the group to isolate the unit that fails; the others commit. */
const commitGroup = async (store: OfferStore, units: readonly CommitUnit[]): Promise<readonly Outcome[]> => {
  const answer = await store.commit(units);
  if (answer.isOk()) return answer.value;
  if (answer.error.retryable || units.length === 1) return units.map(() => err(answer.error));
  const half = units.length >> 1;
  const first = await commitGroup(store, units.slice(0, half));
  return [...first, ...(await commitGroup(store, units.slice(half)))];
};

const shardsOf = ({ changes, outbox = [] }: CommitUnit): readonly number[] =>
  [...changes, ...outbox].map(({ shard }) => shard);

export const openProcessOffers = (
  store: OfferStore,
  {
    clock,
    lingerMs = 2,
    unitsMax = COMMIT_UNITS_MAX,
    waitingMax = 10_000,
    groupsMax = 2,
    memoryBytes = 128 << 20,
    onQueued = () => {},
  }: ProcessOffersOptions,
): ProcessOffers => {
  const remembering = rememberingOffers(store, { bytesMax: memoryBytes });
  const batcher: Batcher<CommitUnit, void, Conflict | Unavailable> = makeBatcher({
    name: 'gost.commit',
    clock,
    countMax: unitsMax,
    bytesMax: COMMIT_BYTES_MAX,
    bytesOf: unitBytes,
    lingerMs,
    waitingMax,
    flushesMax: groupsMax,
    flush: (units) =>
      new ResultAsync(
        commitGroup(remembering, units).then((outcomes) => {
          onQueued(new Set(units.flatMap((unit, at) => (outcomes[at]?.isOk() ? shardsOf(unit) : []))));
          return ok(outcomes);
        }),
      ),
  });
  return {
    load: (ids) => remembering.load(ids),
    recall: remembering.recall,
    commit: (unit) => batcher.add(unit),
    history: (id, page) => store.history(id, page),
    rewriteHistory: (entries: readonly HistoryEntry[]) => store.rewriteHistory(entries),
    close: () => batcher.close(),
  };
};
