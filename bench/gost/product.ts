import { randomUUID } from 'node:crypto';
import { okAsync, ok } from 'neverthrow';
import type pg from 'pg';
import { pgGostStores } from '@doska/adapters-pg';
import { flowCodecs, gostCodecs } from '@doska/adapters-proto';
import {
  defaultGostSettings,
  openGost,
  type Gost,
  type GostPorts,
  type GostSettings,
  type GostStores,
  type OfferId,
} from '@doska/core/gost';
import { ROWS_MAX } from '@doska/core/gost/storage';
import { silentTelemetry } from '@doska/core/kernel';
import { inMemoryBlobStore, inMemoryGenericStorage, memoryDatabase } from '@doska/core/kernel/testing';
import { catalog, clock, random } from './samples.ts';
import type { Stock } from './stock.ts';

export type BenchStores = { readonly pool: pg.Pool; readonly stores: GostStores; readonly gost: Gost };

type Ports = Partial<Pick<GostPorts, 'log' | 'telemetry'>>;
/** The offer store of a process, over PostgreSQL. Its archive is empty. */
export const gostOn = (
  pool: pg.Pool,
  settings: Partial<GostSettings> = {},
  ports: Ports = {},
): BenchStores => {
  const stores = pgGostStores({ pool, codecs: gostCodecs, clock });
  const gost = openGost(
    {
      stores: { ...stores, archive: { ...stores.archive, find: () => okAsync([]) } },
      codecs: { ...gostCodecs, ...flowCodecs },
      log: { promises: { fences: false, joinsTransactions: false }, publish: () => okAsync(undefined) },
      storage: inMemoryGenericStorage(memoryDatabase({ nowMs: clock.nowMs })),
      blobs: inMemoryBlobStore(),
      catalog: () => ok(catalog),
      geocoder: { locate: () => okAsync(undefined) },
      clock,
      random,
      ids: { next: randomUUID },
      signer: { sign: () => '', verify: () => true },
      telemetry: silentTelemetry,
      ...ports,
    },
    { ...defaultGostSettings, ...settings },
  );
  return { pool, stores, gost };
};

/** Remembers no offer: every one is read and decoded. */
export const bareOn = (pool: pg.Pool): BenchStores =>
  gostOn(pool, { commit: { ...defaultGostSettings.commit, memoryBytes: 0 } });
/** As a process of the apps is after a while: it remembers the whole stock. */
export const productOn = async (pool: pg.Pool, { first, count }: Stock): Promise<BenchStores> => {
  const product = gostOn(pool);
  for (let at = 0; at < count; at += ROWS_MAX) {
    const ids = Array.from({ length: Math.min(ROWS_MAX, count - at) }, (_, i) => String(first + at + i));
    (await product.gost.useCases.findOffers(ids as OfferId[]))._unsafeUnwrap();
  }
  return product;
};
