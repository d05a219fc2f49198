import type { Result, ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { CommitUnit, Conflict } from './commit-unit.ts';
import type { Offer } from '../offer/offer.ts';
import type { HistoryEntry } from '../history/history.ts';
import type { OfferId } from '../offer/offer-id.ts';

/** The most ids in one `load`, and rows in one answer. */
export const ROWS_MAX = 1_000;

/** The caller's cached offers. */
export type KnownOffers = (id: OfferId) => Offer | undefined;

/** Offers, and everything that commits with them. A read sees every commit that was answered before it began. */
export interface OfferStore {
  /**
   * The offers of those `ids` that exist, removed ones too, in any order. Returns the caller's cached offer if its version
   * is current, else reloads it.
   */
  load(ids: readonly OfferId[], known?: KnownOffers): ResultAsync<readonly Offer[], Unavailable>;
  /**
   * Each unit commits all or none and has its own outcome, in the order of the units. A refused unit does not affect the
   * others and moves no counter. A unit is refused if any of its offers, draft slots or its feed is not at the version it
   * was decided on. Of concurrent commits on one version one wins. Two units of one call may name the same offer: they are
   * applied one after the other. After `Unavailable` each unit is committed whole or not at all: load the offer and look
   * for the command.
   */
  commit(units: readonly CommitUnit[]): ResultAsync<readonly Result<void, Conflict>[], Unavailable>;
  /** The history of an offer, newest first, before version `before`. */
  history(
    id: OfferId,
    page: { readonly before?: number; readonly limit: number },
  ): ResultAsync<readonly HistoryEntry[], Unavailable>;
  /**
   * Overwrites the entries (1000 at most) of the same offer and version, to remove personal data from them. An entry that
   * does not exist is not added. Other entries and the offer stay unchanged. Calling it twice has the same effect.
   */
  rewriteHistory(entries: readonly HistoryEntry[]): ResultAsync<void, Unavailable>;
}
