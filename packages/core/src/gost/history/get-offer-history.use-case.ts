import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import { utf8Bytes, type InvalidPageToken, type PageTokens, type Unavailable } from '../../kernel/index.ts';
import { countFitting } from '../offer/answer-size.ts';
import type { Refused } from '../offer/command.ts';
import type { HistoryEntry } from './history.ts';
import type { Offer, SellerId } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import { whyOf } from './why.ts';
import type { OfferStore } from '../commit/offer-store.port.ts';
import type { ReadArchive } from '../archive/read-archive.use-case.ts';

export type GetOfferHistoryNeeds = {
  readonly offers: Pick<OfferStore, 'load' | 'history'>;
  readonly readArchive: ReadArchive;
  readonly tokens: PageTokens;
};
export type OfferHistory = {
  readonly offer: Offer;
  readonly entries: readonly HistoryEntry[];
  /** The present state in words; only with the first page. */
  readonly why: readonly string[];
  readonly nextPageToken: string | undefined;
  /** It is in the archive, since then. */
  readonly archivedAtUs: number | undefined;
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

/** Reasons of a ban are told as they are and inside of a sentence. */
const entryBytes = ({ details }: HistoryEntry): number =>
  1_000 + (details?.opinion?.reasons ?? []).reduce((sum, reason) => sum + 2 * utf8Bytes(reason) + 10, 0);

type Found = Pick<OfferHistory, 'offer' | 'entries' | 'archivedAtUs'>;

/** What was decided about an offer, newest first, and why it is as it is; of a removed and of an archived one too. */
export const makeGetOfferHistory =
  ({ offers, readArchive, tokens }: GetOfferHistoryNeeds): GetOfferHistory =>
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
    const archived = (): ResultAsync<Found, Refused | Unavailable> =>
      readArchive([offerId]).andThen(([record]): Result<Found, Refused> => {
        if (!record) return err({ kind: 'NotFound', offerId });
        const earlier = record.history.filter(({ version }) => before === undefined || version < before);
        return ok({ ...record, entries: earlier.slice(0, page.limit) });
      });
    const found = offers.load([offerId]).andThen(([offer]): ResultAsync<Found, Refused | Unavailable> => {
      if (!offer) return archived();
      return offers.history(offerId, page).andThen((entries) =>
        // Every page that is asked for has entries: where there are none, the offer has left the store meanwhile.
        entries.length === 0 ? archived() : ok({ offer, entries, archivedAtUs: undefined }),
      );
    });
    return found.andThen(({ offer, entries: all, archivedAtUs }): Result<OfferHistory, Refused> => {
      if (seller !== undefined && offer.seller !== seller) return err({ kind: 'NotOwner', offerId });
      const wanted = all.slice(0, limit);
      const entries = wanted.slice(0, countFitting(wanted, entryBytes));
      const last = all.length > entries.length ? entries.at(-1) : undefined;
      return ok({
        offer,
        entries,
        archivedAtUs,
        why: before === undefined ? whyOf(offer, all, archivedAtUs) : [],
        nextPageToken: last && tokens.encode(query, [last.version]),
      });
    });
  };
