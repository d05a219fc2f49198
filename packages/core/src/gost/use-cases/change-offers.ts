import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { CatalogNotLoaded } from '../../catalog/index.ts';
import { delayMs, sleep, unavailable, type Unavailable } from '../../kernel/index.ts';
import type { ArchivePointer } from '../domain/archiving.ts';
import type { ChangeCommand, GostError } from '../domain/command.ts';
import { decide } from '../domain/decide.ts';
import type { DecisionContext } from '../domain/step.ts';
import type { CommandResult, Offer } from '../domain/offer.ts';
import type { OfferChange } from '../domain/offer-change.ts';
import type { OfferId } from '../domain/offer-id.ts';
import type { OfferArchive } from '../ports/offer-archive.port.ts';
import { ROWS_MAX, type OfferStore } from '../ports/offer-store.port.ts';
import { groupsOf } from './commit-groups.ts';
import type { Recalling } from './offer-memory.ts';
import { contextOf, type DecidingNeeds } from './settings.ts';

export type OfferOrder = { readonly offerId: OfferId; readonly command: ChangeCommand };
export type ChangeOfferError = GostError | CatalogNotLoaded | Unavailable;
/** `changed` is false when it was so already; a repetition of an applied command has changed. */
export type OfferChanged = CommandResult & { readonly changed: boolean };
export type Verdict = Result<OfferChanged, ChangeOfferError>;
/** A verdict for every order, in their order. One that fails leaves the others alone; orders of one offer follow each other. */
export type ChangeOffers = (orders: readonly OfferOrder[]) => Promise<readonly Verdict[]>;
export type ChangeOffersNeeds = DecidingNeeds & {
  readonly offers: OfferStore & Partial<Recalling>;
  readonly archive: Pick<OfferArchive, 'find'>;
};

/** What is known of the offers that are ordered about: a pointer where one has left the store. */
type Known = {
  readonly live: ReadonlyMap<OfferId, Offer>;
  readonly archived: ReadonlyMap<OfferId, ArchivePointer>;
};
/** Why an offer that is not in the store obeys nobody. */
const goneError = (pointer: ArchivePointer | undefined, { offerId, command }: OfferOrder): GostError => {
  if (!pointer) return { kind: 'NotFound', offerId };
  return command.seller !== undefined && command.seller !== pointer.seller
    ? { kind: 'NotOwner', offerId }
    : { kind: 'Archived', offerId, archivedAtUs: pointer.archivedAtUs };
};

/** Who lost a race to others in this process finds in memory what they left. */
const GUESSES_MAX = 3;

type Settle = (index: number, verdict: Verdict) => void;
type Decided = { readonly index: number; readonly change: OfferChange; readonly result: CommandResult };

/**
 * Load, decide, commit; what lost a race or an answer goes round again. An unknown outcome is settled by the command's
 * id in the record, never guessed: the next round finds it applied, or applies it.
 */
export const makeChangeOffers = (needs: ChangeOffersNeeds): ChangeOffers => {
  const { offers, archive, clock, random, settings } = needs;

  const loadAll = async (ids: readonly OfferId[]): Promise<Result<Known, Unavailable>> => {
    const [live, archived] = [new Map<OfferId, Offer>(), new Map<OfferId, ArchivePointer>()];
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

  const commitAll = async (decided: readonly Decided[], settle: Settle): Promise<Unavailable | undefined> => {
    let failed: Unavailable | undefined;
    for (const group of groupsOf(decided, ({ change }) => ({ changes: [change] }))) {
      const outcomes = await offers.commit(group.map(({ change }) => ({ changes: [change] })));
      if (outcomes.isErr()) failed = outcomes.error;
      else
        group.forEach(({ index, result }, i) => {
          if (outcomes.value[i]?.isOk()) settle(index, ok({ ...result, changed: true }));
        });
    }
    return failed;
  };

  const round = async (
    orders: readonly OfferOrder[],
    pending: readonly number[],
    context: DecisionContext,
    settle: Settle,
  ): Promise<Unavailable | undefined> => {
    const loaded = await loadAll(pending.map((index) => orders[index]!.offerId));
    if (loaded.isErr()) return loaded.error;
    const { live, archived } = loaded.value;
    const decided = pending.flatMap((index): Decided[] => {
      const order = orders[index]!;
      const { offerId, command } = order;
      const offer = live.get(offerId);
      const decision = offer ? decide(offer, command, context) : err(goneError(archived.get(offerId), order));
      if (decision.isErr()) settle(index, err(decision.error));
      else if (decision.value.kind === 'none')
        settle(index, ok({ ...decision.value.result, changed: decision.value.repeated }));
      else return [{ index, change: decision.value.change, result: decision.value.result }];
      return [];
    });
    return commitAll(decided, settle);
  };

  /**
   * One trip instead of two where a process remembers: what commits was right, and only that is settled. False when memory
   * holds nothing that was not `tried` already.
   */
  const guess = async (
    orders: readonly OfferOrder[],
    pending: readonly number[],
    context: DecisionContext,
    settle: Settle,
    tried: Map<number, Offer>,
  ): Promise<boolean> => {
    const decided = pending.flatMap((index): Decided[] => {
      const { offerId, command } = orders[index]!;
      const offer = offers.recall?.(offerId);
      if (!offer || tried.get(index) === offer) return [];
      tried.set(index, offer);
      const decision = decide(offer, command, context);
      if (decision.isErr() || decision.value.kind === 'none') return [];
      return [{ index, change: decision.value.change, result: decision.value.result }];
    });
    await commitAll(decided, settle);
    return decided.length > 0;
  };

  return async (orders) => {
    const verdicts: (Verdict | undefined)[] = orders.map(() => undefined);
    const waiting = (): number[] => orders.flatMap((_, index) => (verdicts[index] ? [] : [index]));
    /** The first of every offer: the next is decided on what this one leaves. */
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
    for (let [attempt, guesses] = [1, GUESSES_MAX]; waiting().length > 0;) {
      const catalog = needs.catalog();
      if (catalog.isErr()) return verdicts.map((verdict) => verdict ?? err(catalog.error));
      const context = contextOf(catalog.value, needs);
      if (guesses > 0) {
        const guessed = await guess(orders, firsts(), context, settle, tried);
        guesses = guessed ? guesses - 1 : 0;
        if (guessed) continue;
      }
      progress = false;
      const failed = await round(orders, firsts(), context, settle);
      if (progress) continue;
      const last = attempt >= (settings.retry.attemptsMax ?? Infinity);
      if (last || failed?.retryable === false) {
        const error = failed ?? unavailable('too many others change this offer');
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
