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

/** A row of `gost.load`; without a kind it says that the offer is at the version that is known. */
export type LoadedRow = OfferPartRow | { readonly id: OfferId; readonly kind: null; readonly body: null };
const isPart = (row: LoadedRow): row is OfferPartRow => row.kind !== null;

export const loadedOffers = (
  rows: readonly LoadedRow[],
  known: ReadonlyMap<OfferId, Offer | undefined>,
  codecs: GostCodecs,
): ReadonlyMap<OfferId, Result<Offer, Unavailable>> => {
  const read = offersOfRows(rows.filter(isPart), codecs);
  const found = new Map(read);
  for (const { id, kind } of rows) {
    const offer = kind === null ? known.get(id) : undefined;
    if (offer) found.set(id, ok(offer));
  }
  return found;
};
