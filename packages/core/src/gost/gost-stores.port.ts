import type { Cabinet } from './cabinet/cabinet.port.ts';
import type { DraftStore } from './drafts/draft-store.port.ts';
import type { ExportQueue } from './export/export-queue.port.ts';
import type { FeedStore } from './autoload/feed-store.port.ts';
import type { OfferArchive } from './archive/offer-archive.port.ts';
import type { OfferScan } from './scan/offer-scan.port.ts';
import type { OfferStore } from './commit/offer-store.port.ts';
import type { Timers } from './expiry/timers.port.ts';

/** The ports of the offer store over one database: what `OfferStore.commit` moves, the others read, and `OfferArchive` takes out. */
export type GostStores = {
  readonly offers: OfferStore;
  readonly drafts: DraftStore;
  readonly queue: ExportQueue;
  readonly cabinet: Cabinet;
  readonly timers: Timers;
  readonly scan: OfferScan;
  readonly feeds: FeedStore;
  readonly archive: OfferArchive;
};
