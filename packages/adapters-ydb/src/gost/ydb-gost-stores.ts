import type { GostStores } from '@doska/core/gost';
import { ydbCabinet } from './ydb-cabinet.ts';
import { ydbDraftStore } from './ydb-draft-store.ts';
import { ydbExportQueue, ydbTimers } from './ydb-export-queue.ts';
import { ydbFeedStore } from './ydb-feed-store.ts';
import { ydbOfferArchive } from './ydb-offer-archive.ts';
import { ydbOfferScan } from './ydb-offer-scan.ts';
import { ydbOfferStore, type YdbGostOptions } from './ydb-offer-store.ts';

/** Every port of the offer store on one database. */
export const ydbGostStores = (options: YdbGostOptions): GostStores => ({
  offers: ydbOfferStore(options),
  drafts: ydbDraftStore(options),
  queue: ydbExportQueue(options.client),
  cabinet: ydbCabinet(options),
  timers: ydbTimers(options.client),
  scan: ydbOfferScan(options),
  feeds: ydbFeedStore(options),
  archive: ydbOfferArchive(options.client),
});
