import type pg from 'pg';
import { pgGostStores } from '@doska/adapters-pg';
import { gostCodecs } from '@doska/adapters-proto';
import {
  defaultOfferMemory,
  rememberingOffers,
  ROWS_MAX,
  type GostStores,
  type OfferId,
} from '@doska/core/gost';
import { clock } from './samples.ts';
import type { Stock } from './stock.ts';

export type BenchStores = { readonly pool: pg.Pool; readonly stores: GostStores };

/** The stores, but nothing is remembered: every offer is read and decoded. */
export const bareOn = (pool: pg.Pool): BenchStores => ({
  ...{ pool, stores: pgGostStores({ pool, codecs: gostCodecs, clock }) },
});
/** The stores as a process of the apps has them after a while: it remembers the whole stock. */
export const productOn = async (pool: pg.Pool, { first, count }: Stock): Promise<BenchStores> => {
  const { stores } = bareOn(pool);
  const offers = rememberingOffers(stores.offers, defaultOfferMemory);
  for (let at = 0; at < count; at += ROWS_MAX) {
    const ids = Array.from({ length: Math.min(ROWS_MAX, count - at) }, (_, i) => String(first + at + i));
    (await offers.load(ids as OfferId[]))._unsafeUnwrap();
  }
  return { pool, stores: { ...stores, offers } };
};
