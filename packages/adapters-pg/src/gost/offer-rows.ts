import { ok, type Result } from 'neverthrow';
import { type GostCodecs, type Offer, type OfferId } from '@doska/core/gost';
import { offerOfParts } from '@doska/core/gost/storage';
import { unavailable, type Unavailable } from '@doska/core/kernel';

/** A row of `gost.offer`: a head or a body. */
export type OfferPartRow = { readonly id: OfferId; readonly kind: number; readonly body: Buffer };

export const unreadable = (cause: unknown): Unavailable =>
  unavailable('a stored row is malformed', cause, false);

/** The offers of the rows by id, in the order of their first rows. */
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

/** A row of `gost.news`. A row without a kind means that the offer does not exist. */
export type NewsRow = OfferPartRow | { readonly id: OfferId; readonly kind: null; readonly body: null };
const isPart = (row: NewsRow): row is OfferPartRow => row.kind !== null;

/** Finds the current offer: the changed one from the rows, else the one that the caller knows. */
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
