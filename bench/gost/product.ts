import type pg from 'pg';
import { pgGostStores } from '@doska/adapters-pg';
import { gostCodecs } from '@doska/adapters-proto';
import { defaultOfferMemory, rememberingOffers, type GostStores } from '@doska/core/gost';
import { clock } from './samples.ts';

export type BenchStores = { readonly pool: pg.Pool; readonly stores: GostStores };

/** The stores as a process of the apps has them: one for all rounds, as it runs on and on. */
export const productOn = (pool: pg.Pool): BenchStores => {
  const { pool: _pool, stores } = bareOn(pool);
  return { pool, stores: { ...stores, offers: rememberingOffers(stores.offers, defaultOfferMemory) } };
};
/** The same, but nothing is remembered: every offer is read and decoded. */
export const bareOn = (pool: pg.Pool): BenchStores => ({
  ...{ pool, stores: pgGostStores({ pool, codecs: gostCodecs, clock }) },
});
