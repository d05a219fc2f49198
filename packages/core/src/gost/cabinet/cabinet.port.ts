import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { Preset, Total } from './presets.ts';
import type { SellerId } from '../offer/offer.ts';
import type { PresetKey } from '../offer/offer-change.ts';

export type PresetPlace = Pick<PresetKey, 'createdAtUs' | 'offerId'>;
export type PresetList = { readonly seller: SellerId; readonly preset: Preset };
export type SellerTotals = Readonly<Record<Exclude<Total, 'MoneyEarned'>, number>> & {
  /** Minor units by currency. */
  readonly MoneyEarned: Readonly<Record<string, number>>;
};
/** `drift`: how much the count was off before it was set right. */
export type RepairStep =
  { readonly done: false } | { readonly done: true; readonly counted: number; readonly drift: number };

/** How much a total was off before it was set right; `currency` only with `MoneyEarned`. */
export type TotalDrift = { readonly total: Total; readonly currency: string; readonly drift: number };

/** A seller's lists, their counts and totals: moved by `OfferStore.commit`, in the same transaction as the offer. */
export interface Cabinet {
  /** Newest first: by creation, then by id, both downward; after the place given. At most `limit` (and 1000). */
  page(
    list: PresetList & { readonly after?: PresetPlace; readonly limit: number },
  ): ResultAsync<readonly PresetKey[], Unavailable>;
  /** Exact at every moment, unless the rows were changed outside this port; 0 for an unknown seller. */
  counts(seller: SellerId): ResultAsync<Readonly<Record<Preset, number>>, Unavailable>;
  totals(seller: SellerId): ResultAsync<SellerTotals, Unavailable>;
  /** Lists that have a count, in an order of the store's own, after the one given. */
  lists(page: {
    readonly after?: PresetList;
    readonly limit: number;
  }): ResultAsync<readonly PresetList[], Unavailable>;
  /**
   * Counts the next `limit` lines (1000 at most); the last step sets the count to what was counted, while writers go on.
   * Commits that come between the steps are counted exactly once, and none is refused for the repair's sake.
   * The next step of any caller continues a repair that was given up.
   */
  repairStep(list: PresetList, limit: number): ResultAsync<RepairStep, Unavailable>;
  /**
   * Sets the totals to what their sources say, and tells which were off: `Active`, `Expired` and `Banned` by the lists
   * and their offers, `Sold` and `MoneyEarned` by the sales. Writers go on, and what they commit meanwhile counts once.
   */
  repairTotals(seller: SellerId): ResultAsync<readonly TotalDrift[], Unavailable>;
}
