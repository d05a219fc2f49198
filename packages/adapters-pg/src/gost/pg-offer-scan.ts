import { Result } from 'neverthrow';
import { type OfferId } from '@doska/core/gost';
import { ROWS_MAX, STATUS_CODES, type OfferScan, type ScanPlace } from '@doska/core/gost/storage';
import { guard } from '../driver/guard.ts';
import { offersOfRows, type OfferPartRow } from './offer-rows.ts';
import type { PgGostOptions } from './pg-offer-store.ts';

/* A page is a number of heads. A removed offer has a place in it, but no parts. */
const SCAN = `with heads as (
    select hash, id, status from gost.offer
    where kind = 0 and hash >= $1 and hash < $2 and (hash, id) > ($3, $4) order by hash, id limit $5)
  select h.hash, h.id, o.kind, o.body from heads h
    left join gost.offer o on o.id = h.id and h.status <> ${STATUS_CODES.removed} order by h.hash, h.id`;
const OF_SELLER = `with heads as (
    select id from gost.offer where kind = 0 and seller = $1 and id > $2 order by id limit $3)
  select o.id, o.kind, o.body from heads h join gost.offer o on o.id = h.id order by o.id`;
type ScanRow = {
  readonly hash: string;
  readonly id: OfferId;
  readonly kind: number | null;
  readonly body: Buffer | null;
};
const hasPart = (row: ScanRow): row is ScanRow & OfferPartRow => row.kind !== null;

export const pgOfferScan = ({ pool, codecs }: Pick<PgGostOptions, 'pool' | 'codecs'>): OfferScan => ({
  scan: ({ from, to, after }, limit) => {
    const most = Math.min(limit, ROWS_MAX);
    return guard('gost.scan', async () => {
      const place = [after?.hash ?? -1, after?.offerId ?? ''];
      return (await pool.query<ScanRow>(SCAN, [from, to, ...place, most])).rows;
    }).andThen((rows) => {
      const places = new Map(rows.map(({ id, hash }) => [id, Number(hash)]));
      const end = rows.at(-1);
      const last: ScanPlace | undefined =
        end && places.size === most ? { hash: Number(end.hash), offerId: end.id } : undefined;
      const found = [...offersOfRows(rows.filter(hasPart), codecs).values()];
      return Result.combine(found).map((offers) => ({ offers, last }));
    });
  },
  ofSeller: (seller, { after = '' as OfferId, limit }) =>
    guard('gost.ofSeller', async () => {
      const { rows } = await pool.query<OfferPartRow>(OF_SELLER, [seller, after, Math.min(limit, ROWS_MAX)]);
      return rows;
    }).andThen((rows) => Result.combine([...offersOfRows(rows, codecs).values()])),
});
