import { ok, type Result } from 'neverthrow';
import { offerOfParts, type GostCodecs, type Offer, type OfferId } from '@doska/core/gost';
import { unavailable, type Unavailable } from '@doska/core/kernel';

/** A row of `gost.offer`: a head or a body. */
export type OfferPartRow = { readonly id: OfferId; readonly kind: number; readonly body: Buffer };

export const unreadable = (cause: unknown): Unavailable =>
  unavailable('a stored row is malformed', cause, false);

/** The offers that the rows hold, by id, in the order in which their first rows came. */
export const offersOfRows = (
  rows: readonly OfferPartRow[],
  codecs: GostCodecs,
): ReadonlyMap<OfferId, Result<Offer, Unavailable>> => {
  const parts = new Map<OfferId, OfferPartRow[]>();
  for (const row of rows) {
    const known = parts.get(row.id);
    if (known) known.push(row);
    else parts.set(row.id, [row]);
  }
  return new Map([...parts].map(([id, found]) => [id, offerOfParts(found, codecs).mapErr(unreadable)]));
};

/** A row of `gost.news`; without a kind it says that there is no such offer. */
export type NewsRow = OfferPartRow | { readonly id: OfferId; readonly kind: null; readonly body: null };
const isPart = (row: NewsRow): row is OfferPartRow => row.kind !== null;

/** Offers as they are by now: what is news, and what is known already where there is none. */
export type LookUp = (id: OfferId) => Result<Offer, Unavailable> | undefined;
export const lookUp = (
  rows: readonly NewsRow[],
  known: ReadonlyMap<OfferId, Offer | undefined>,
  codecs: GostCodecs,
): LookUp => {
  const news = offersOfRows(rows.filter(isPart), codecs);
  const gone = new Set(rows.flatMap(({ id, kind }) => (kind === null ? [id] : [])));
  return (id) => {
    const offer = known.get(id);
    return news.get(id) ?? (offer && !gone.has(id) ? ok(offer) : undefined);
  };
};
