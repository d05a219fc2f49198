import type { GostStores } from '@doska/core/gost';
import { pgCabinet } from './pg-cabinet.ts';
import { pgDraftStore } from './pg-draft-store.ts';
import { pgExportQueue, pgTimers } from './pg-export-queue.ts';
import { pgFeedStore } from './pg-feed-store.ts';
import { pgOfferArchive } from './pg-offer-archive.ts';
import { pgOfferScan } from './pg-offer-scan.ts';
import { pgOfferStore, type PgGostOptions } from './pg-offer-store.ts';

/** Every port of the offer store on one database. */
export const pgGostStores = (options: PgGostOptions): GostStores => ({
  offers: pgOfferStore(options),
  drafts: pgDraftStore(options),
  queue: pgExportQueue(options.pool),
  cabinet: pgCabinet(options.pool),
  timers: pgTimers(options.pool),
  scan: pgOfferScan(options),
  feeds: pgFeedStore(options),
  archive: pgOfferArchive(options.pool),
});
