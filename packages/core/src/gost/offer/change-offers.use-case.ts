import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { CatalogNotLoaded } from '../../catalog/index.ts';
import { delayMs, sleep, unavailable, type Unavailable } from '../../kernel/index.ts';
import type { ArchivePointer } from '../archive/archiving.ts';
import type { ChangeCommand, GostError } from './command.ts';
import { decide, type Decision } from './decide.ts';
import type { DecisionContext } from './step.ts';
import type { CommandResult, Offer } from './offer.ts';
import type { OfferChange } from './offer-change.ts';
import type { OfferId } from './offer-id.ts';
import type { OfferArchive } from '../archive/offer-archive.port.ts';
import { ROWS_MAX } from '../commit/offer-store.port.ts';
import type { ProcessOffers } from '../commit/process-offers.store.ts';
import { contextOf, type DecidingNeeds } from '../settings.ts';

export type OfferOrder = { readonly offerId: OfferId; readonly command: ChangeCommand };
export type ChangeOfferError = GostError | CatalogNotLoaded | Unavailable;
/**
 * `changed` is false if the offer already was as the command asks. A command repeated under an id of the caller's choice answers
 * as the first time; a repeated opinion of moderation changes nothing.
 */
export type OfferChanged = CommandResult & { readonly changed: boolean };
export type Verdict = Result<OfferChanged, ChangeOfferError>;
/** Gives a verdict for each order, in their order. A failed order does not affect the others; orders of one offer run one after another. */
export type ChangeOffers = (orders: readonly OfferOrder[]) => Promise<readonly Verdict[]>;
export type ChangeOffersNeeds = DecidingNeeds & {
  readonly offers: Pick<ProcessOffers, 'load' | 'recall' | 'commit'>;
  readonly archive: Pick<OfferArchive, 'find'>;
};

/** The offers that the orders name: live ones, and pointers of archived ones. */
type Known = {
  readonly live: ReadonlyMap<OfferId, Offer>;
  readonly archived: ReadonlyMap<OfferId, ArchivePointer>;
};
/** The error for an offer that is not in the store. */
const goneError = (pointer: ArchivePointer | undefined, { offerId, command }: OfferOrder): GostError => {
  if (!pointer) return { kind: 'NotFound', offerId };
  return command.seller !== undefined && command.seller !== pointer.seller
    ? { kind: 'NotOwner', offerId }
    : { kind: 'Archived', offerId, archivedAtUs: pointer.archivedAtUs };
};

/** How often a change is decided on a remembered offer before the store is asked: another change of this process may have won. */
const GUESSES_MAX = 3;

type NoChange = Extract<Decision, { kind: 'none' }>;
const decidedFor = (index: number, decision: Extract<Decision, { kind: 'change' }>): Decided => {
  const { change, result, changed } = decision;
  return { index, change, answer: { ...result, changed } };
};

type Settle = (index: number, verdict: Verdict) => void;
type Decided = { readonly index: number; readonly change: OfferChange; readonly answer: OfferChanged };

/**
 * Loads, decides and commits; repeats that for what lost a race or an answer. An unknown outcome is settled by the command's
 * id in the offer: the next round finds the command applied, or applies it.
 */
export const makeChangeOffers = (needs: ChangeOffersNeeds): ChangeOffers => {
  const { offers, archive, clock, random, settings } = needs;

  const loadAll = async (ids: readonly OfferId[]): Promise<Result<Known, Unavailable>> => {
    const live = new Map<OfferId, Offer>();
    const archived = new Map<OfferId, ArchivePointer>();
    for (let from = 0; from < ids.length; from += ROWS_MAX) {
      const some = ids.slice(from, from + ROWS_MAX);
      const page = await offers.load(some);
      if (page.isErr()) return err(page.error);
      for (const offer of page.value) live.set(offer.id, offer);
      const gone = some.filter((id) => !live.has(id));
      const pointers = gone.length > 0 ? await archive.find(gone) : ok([]);
      if (pointers.isErr()) return err(pointers.error);
      for (const pointer of pointers.value) archived.set(pointer.offerId, pointer);
    }
    return ok({ live, archived });
  };

  /** Each change has its own outcome. Returns the last failure of those that may be tried again. */
  const commitAll = async (
    decided: readonly Decided[],
    settle: Settle,
    unsure: Set<number>,
  ): Promise<Unavailable | undefined> => {
    let failed: Unavailable | undefined;
    const commitOne = async ({ index, change, answer }: Decided): Promise<void> => {
      const outcome = await offers.commit({ changes: [change] });
      if (outcome.isOk()) return settle(index, ok(answer));
      if (outcome.error.kind === 'Conflict') return;
      if (!outcome.error.retryable) return settle(index, err(outcome.error));
      failed = outcome.error;
      unsure.add(index);
    };
    await Promise.all(decided.map(commitOne));
    return failed;
  };

  const round = async (
    orders: readonly OfferOrder[],
    pending: readonly number[],
    context: DecisionContext,
    settle: Settle,
    unsure: Set<number>,
  ): Promise<Unavailable | undefined> => {
    const loaded = await loadAll(pending.map((index) => orders[index]!.offerId));
    if (loaded.isErr()) return loaded.error;
    const { live, archived } = loaded.value;
    /** Whether this very call made the change, or its caller repeats a command of his by its id. */
    const isOwn = ({ repeated }: NoChange, { named }: ChangeCommand, index: number): boolean =>
      repeated && (named === true || unsure.has(index));
    const decided = pending.flatMap((index): Decided[] => {
      const order = orders[index]!;
      const { offerId, command } = order;
      const offer = live.get(offerId);
      const decision = offer ? decide(offer, command, context) : err(goneError(archived.get(offerId), order));
      if (decision.isErr()) settle(index, err(decision.error));
      else if (decision.value.kind === 'none')
        settle(index, ok({ ...decision.value.result, changed: isOwn(decision.value, command, index) }));
      else return [decidedFor(index, decision.value)];
      return [];
    });
    return commitAll(decided, settle, unsure);
  };

  /**
   * Decides on remembered offers and commits without loading: one round trip instead of two. Only a successful commit settles
   * an order. Returns false if memory has nothing that was not tried yet.
   */
  const guess = async (
    orders: readonly OfferOrder[],
    pending: readonly number[],
    context: DecisionContext,
    settle: Settle,
    tried: Map<number, Offer>,
    unsure: Set<number>,
  ): Promise<boolean> => {
    const decided = pending.flatMap((index): Decided[] => {
      const { offerId, command } = orders[index]!;
      const offer = offers.recall(offerId);
      if (!offer || tried.get(index) === offer) return [];
      tried.set(index, offer);
      const decision = decide(offer, command, context);
      if (decision.isErr() || decision.value.kind === 'none') return [];
      return [decidedFor(index, decision.value)];
    });
    await commitAll(decided, settle, unsure);
    return decided.length > 0;
  };

  return async (orders) => {
    const verdicts: (Verdict | undefined)[] = orders.map(() => undefined);
    const waiting = (): number[] => orders.flatMap((_, index) => (verdicts[index] ? [] : [index]));
    /** The first waiting order of each offer: the next one is decided on its result. */
    const firsts = (): number[] => {
      const seen = new Set<OfferId>();
      return waiting().filter((index) => {
        const { offerId } = orders[index]!;
        return !seen.has(offerId) && seen.add(offerId);
      });
    };
    let progress = false;
    const settle: Settle = (index, verdict) => {
      verdicts[index] = verdict;
      progress = true;
    };
    const tried = new Map<number, Offer>();
    /** Orders whose commit got no answer: it may have happened. */
    const unsure = new Set<number>();
    for (let attempt = 1, guesses = GUESSES_MAX; waiting().length > 0;) {
      const catalog = needs.catalog();
      if (catalog.isErr()) return verdicts.map((verdict) => verdict ?? err(catalog.error));
      const context = contextOf(catalog.value, needs);
      if (guesses > 0) {
        const guessed = await guess(orders, firsts(), context, settle, tried, unsure);
        guesses = guessed ? guesses - 1 : 0;
        if (guessed) continue;
      }
      progress = false;
      const failed = await round(orders, firsts(), context, settle, unsure);
      if (progress) continue;
      const last = attempt >= (settings.retry.attemptsMax ?? Infinity);
      if (last || failed?.retryable === false) {
        const error = failed ?? unavailable('too many concurrent changes of this offer');
        return verdicts.map((verdict) => verdict ?? err(error));
      }
      await sleep(clock, delayMs(settings.retry, attempt++, random));
    }
    return verdicts.map((verdict) => verdict!);
  };
};

export type ChangeOffer = (order: OfferOrder) => ResultAsync<OfferChanged, ChangeOfferError>;
export const makeChangeOffer = (needs: ChangeOffersNeeds): ChangeOffer => {
  const changeOffers = makeChangeOffers(needs);
  return (order) => new ResultAsync(changeOffers([order]).then(([verdict]) => verdict!));
};
