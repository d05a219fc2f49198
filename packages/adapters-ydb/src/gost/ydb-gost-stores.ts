import type { GostStores } from '@doska/core/gost';
import { ydbCabinet } from './ydb-cabinet.ts';
import { ydbDraftStore } from './ydb-draft-store.ts';
import { ydbExpiry, ydbExportQueue } from './ydb-export-queue.ts';
import { ydbFeedStore } from './ydb-feed-store.ts';
import { ydbOfferScan } from './ydb-offer-scan.ts';
import { ydbOfferStore, type YdbGostOptions } from './ydb-offer-store.ts';

/** Every port of the offer store over one database. */
export const ydbGostStores = (options: YdbGostOptions): GostStores => ({
  offers: ydbOfferStore(options),
  drafts: ydbDraftStore(options),
  queue: ydbExportQueue(options.client),
  cabinet: ydbCabinet(options.client),
  expiry: ydbExpiry(options.client),
  scan: ydbOfferScan(options),
  feeds: ydbFeedStore(options),
});
