import { errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import type { InvalidPageToken, PageKey, PageTokens, Unavailable } from '../../kernel/index.ts';
import { countFitting, offerBytes } from '../offer/answer-size.ts';
import type { Offer } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { Cabinet, PresetList, PresetPlace } from './cabinet.port.ts';
import type { OfferStore } from '../commit/offer-store.port.ts';

export type ListCabinetNeeds = {
  readonly cabinet: Cabinet;
  readonly offers: Pick<OfferStore, 'load'>;
  readonly tokens: PageTokens;
};
export type CabinetPage = { readonly offers: readonly Offer[]; readonly nextPageToken: string | undefined };
export type ListCabinet = (
  query: PresetList & { readonly pageSize: number; readonly pageToken?: string },
) => ResultAsync<CabinetPage, InvalidPageToken | Unavailable>;

export const CABINET_PAGE_MAX = 200;
const placeOf = ([createdAtUs, offerId]: PageKey): PresetPlace => ({
  createdAtUs: Number(createdAtUs),
  offerId: String(offerId) as OfferId,
});

/** A list of the seller's offers, newest first; a page holds no more than fits into one answer. A line whose offer has moved on meanwhile is shown as it is now. */
export const makeListCabinet =
  ({ cabinet, offers, tokens }: ListCabinetNeeds): ListCabinet =>
  ({ seller, preset, pageSize, pageToken }) => {
    const query = `cabinet/${seller}/${preset}`;
    const limit = Math.max(1, Math.min(pageSize, CABINET_PAGE_MAX));
    const place: Result<PresetPlace | undefined, InvalidPageToken> =
      pageToken === undefined ? ok(undefined) : tokens.decode(query, pageToken).map(placeOf);
    if (place.isErr()) return errAsync(place.error);
    const after = place.value ? { after: place.value } : {};
    return cabinet.page({ seller, preset, limit: limit + 1, ...after }).andThen((lines) => {
      const wanted = lines.slice(0, limit);
      if (wanted.length === 0) return okAsync({ offers: [], nextPageToken: undefined });
      return offers.load(wanted.map(({ offerId }) => offerId)).map((found) => {
        const byId = new Map(found.map((offer) => [offer.id, offer]));
        const bytesOf = ({ offerId }: PresetPlace): number => {
          const offer = byId.get(offerId);
          return offer ? offerBytes(offer) : 0;
        };
        const shown = wanted.slice(0, countFitting(wanted, bytesOf));
        const last = lines.length > shown.length ? shown.at(-1) : undefined;
        return {
          offers: shown.flatMap(({ offerId }) => byId.get(offerId) ?? []),
          nextPageToken: last && tokens.encode(query, [last.createdAtUs, last.offerId]),
        };
      });
    });
  };
