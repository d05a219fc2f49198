import type { Result, ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { CommitUnit, Conflict } from '../domain/commit-unit.ts';
import type { Offer } from '../domain/offer.ts';
import type { HistoryEntry } from '../domain/history.ts';
import type { OfferId } from '../domain/offer-id.ts';

/** At most this many ids in one `load`, and lines in one answer. */
export const ROWS_MAX = 1_000;
/** The caller keeps the units of one commit within this (`unitBytes`), so that any database takes them as one transaction. */
export const COMMIT_BYTES_MAX = 400_000;

/** What a caller has of offers already. */
export type KnownOffers = (id: OfferId) => Offer | undefined;

/** Offers and what moves with them. Reads see every commit that was answered before they began. */
export interface OfferStore {
  /**
   * Those of `ids` that exist, removed ones too, in any order. An offer that is still at the version of the one that is
   * `known` may be answered as that very one, without being read again.
   */
  load(ids: readonly OfferId[], known?: KnownOffers): ResultAsync<readonly Offer[], Unavailable>;
  /**
   * Each unit commits all or none, with an outcome of its own in the order of the units: a refused one leaves the
   * others alone and moves no counter. A unit is refused when any of its offers, of its drafts' slots, or its feed is not
   * at the version it was decided on. Of racing commits on one version one wins. Two units of one call may name the same
   * offer: they are judged one after the other. On `Unavailable` each unit is there whole or not at all, and nobody
   * knows which: load and look for the command.
   */
  commit(units: readonly CommitUnit[]): ResultAsync<readonly Result<void, Conflict>[], Unavailable>;
  /** What was decided about an offer, newest first, before version `before`. */
  history(
    id: OfferId,
    page: { readonly before?: number; readonly limit: number },
  ): ResultAsync<readonly HistoryEntry[], Unavailable>;
  /**
   * Writes these entries (1000 at most) over those of the same offer and version: only to take words out of them. One
   * that is not there is not made; the others of the offer, and the offer, stay as they are. Twice is once.
   */
  rewriteHistory(entries: readonly HistoryEntry[]): ResultAsync<void, Unavailable>;
}
