import { type OfferId } from '@doska/core/gost';
import { ROWS_MAX, STATUS_CODES, type OfferScan } from '@doska/core/gost/storage';
import { query } from '../driver/query.ts';
import { inOrder, offersOfParts, readParts } from './offer-parts.ts';
import type { YdbGostOptions } from './ydb-offer-store.ts';

export const SCAN = query({
  name: 'gost/scan',
  parameters: { hash: 'Uint64', offer_id: 'Utf8', to: 'Uint64', limit: 'Uint64' },
  results: [{ hash: 'Uint64', offer_id: 'Utf8' }],
  text: `SELECT hash, offer_id FROM gost_offer_hash
WHERE hash >= $hash AND hash < $to AND (hash > $hash OR offer_id > $offer_id)
ORDER BY hash, offer_id LIMIT $limit;`,
});
export const OF_SELLER = query({
  name: 'gost/of-seller',
  parameters: { seller: 'Utf8', after: 'Utf8', limit: 'Uint64' },
  results: [{ offer_id: 'Utf8' }],
  text: `SELECT offer_id FROM gost_offer_seller WHERE seller = $seller AND offer_id > $after
ORDER BY seller, offer_id LIMIT $limit;`,
});

export const ydbOfferScan = ({ client, codecs }: Pick<YdbGostOptions, 'client' | 'codecs'>): OfferScan => ({
  scan: ({ from, to, after }, limit) => {
    const most = Math.min(limit, ROWS_MAX);
    // Every id sorts after the empty one, so a range starts at its first hash.
    const { hash, offerId } = after && after.hash >= from ? after : { hash: from, offerId: '' };
    return client
      .read('gost.scan', async (tx) => {
        const [places] = await tx.run(SCAN, { hash, offer_id: offerId, to, limit: most });
        return {
          places,
          rows: await readParts(
            tx,
            places.map(({ offer_id }) => offer_id),
          ),
        };
      })
      .andThen(({ places, rows }) => {
        const removed = new Set(
          rows.filter(({ status }) => status === STATUS_CODES.removed).map(({ id }) => id),
        );
        const live = places.map(({ offer_id }) => offer_id as OfferId).filter((id) => !removed.has(id));
        const end = places.length === most ? places.at(-1) : undefined;
        const last = end && { hash: end.hash, offerId: end.offer_id as OfferId };
        return inOrder(live, offersOfParts(rows, codecs)).map((offers) => ({ offers, last }));
      });
  },
  ofSeller: (seller, { after = '' as OfferId, limit }) =>
    client
      .read('gost.ofSeller', async (tx) => {
        const [found] = await tx.run(OF_SELLER, { seller, after, limit: Math.min(limit, ROWS_MAX) });
        const ids = found.map(({ offer_id }) => offer_id as OfferId);
        return { ids, rows: await readParts(tx, ids) };
      })
      .andThen(({ ids, rows }) => inOrder(ids, offersOfParts(rows, codecs))),
});
