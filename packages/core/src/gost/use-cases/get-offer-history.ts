import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import type { InvalidPageToken, PageTokens, Unavailable } from '../../kernel/index.ts';
import type { Refused } from '../domain/command.ts';
import type { HistoryEntry } from '../domain/history.ts';
import type { Offer, SellerId } from '../domain/offer.ts';
import type { OfferId } from '../domain/offer-id.ts';
import { whyOf } from '../domain/why.ts';
import type { OfferStore } from '../ports/offer-store.port.ts';

export type GetOfferHistoryNeeds = { readonly offers: OfferStore; readonly tokens: PageTokens };
export type OfferHistory = {
  readonly offer: Offer;
  readonly entries: readonly HistoryEntry[];
  /** The present state in words; only with the first page. */
  readonly why: readonly string[];
  readonly nextPageToken: string | undefined;
};
export type GetOfferHistory = (query: {
  readonly offerId: OfferId;
  /** When it is given, only this seller's offers are told. */
  readonly seller?: SellerId;
  readonly pageSize: number;
  readonly pageToken?: string;
}) => ResultAsync<OfferHistory, Refused | InvalidPageToken | Unavailable>;

export const HISTORY_PAGE_MAX = 200;
/** How far back a cause is looked for: most states are made by one of the last few changes. */
const WHY_ENTRIES = 200;

/** What was decided about an offer, newest first, and why it is as it is; of a removed one too. */
export const makeGetOfferHistory =
  ({ offers, tokens }: GetOfferHistoryNeeds): GetOfferHistory =>
  ({ offerId, seller, pageSize, pageToken }) => {
    const query = `history/${offerId}`;
    const limit = Math.max(1, Math.min(pageSize, HISTORY_PAGE_MAX));
    const place: Result<number | undefined, InvalidPageToken> =
      pageToken === undefined
        ? ok(undefined)
        : tokens.decode(query, pageToken).map(([version]) => Number(version));
    if (place.isErr()) return errAsync(place.error);
    const before = place.value;
    const page =
      before === undefined ? { limit: Math.max(limit + 1, WHY_ENTRIES) } : { before, limit: limit + 1 };
    return offers
      .load([offerId])
      .andThen(([offer]): Result<Offer, Refused> => {
        if (!offer) return err({ kind: 'NotFound', offerId });
        return seller !== undefined && offer.seller !== seller
          ? err({ kind: 'NotOwner', offerId })
          : ok(offer);
      })
      .andThen((offer) =>
        offers.history(offerId, page).map((found) => {
          const entries = found.slice(0, limit);
          const last = found.length > limit ? entries.at(-1) : undefined;
          return {
            ...{ offer, entries, why: before === undefined ? whyOf(offer, found) : [] },
            nextPageToken: last && tokens.encode(query, [last.version]),
          };
        }),
      );
  };
