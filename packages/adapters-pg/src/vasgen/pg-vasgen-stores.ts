import type pg from 'pg';
import type { VasgenStores } from '@doska/core/vasgen';
import { pgArchiveManifest } from './pg-archive-manifest.ts';
import { pgEpochStore } from './pg-epoch-store.ts';
import { pgQueues } from './pg-queues.ts';
import { pgRefusals } from './pg-refusals.ts';
import { pgRegistry } from './pg-registry.ts';
import { pgSearcherRows } from './pg-searcher-rows.ts';

/** Every store of vasgen on one database. */
export const pgVasgenStores = (pool: pg.Pool): VasgenStores => ({
  epochs: pgEpochStore(pool),
  registry: pgRegistry(pool),
  queues: pgQueues(pool),
  refusals: pgRefusals(pool),
  searchers: pgSearcherRows(pool),
  archive: pgArchiveManifest(pool),
});
