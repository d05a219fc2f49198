import type { Cabinet } from './cabinet.port.ts';
import type { DraftStore } from './draft-store.port.ts';
import type { Expiry } from './expiry.port.ts';
import type { ExportQueue } from './export-queue.port.ts';
import type { FeedStore } from './feed-store.port.ts';
import type { OfferScan } from './offer-scan.port.ts';
import type { OfferStore } from './offer-store.port.ts';

/** The ports of the offer store over one database: what `OfferStore.commit` moves, the others read. */
export type GostStores = {
  readonly offers: OfferStore;
  readonly drafts: DraftStore;
  readonly queue: ExportQueue;
  readonly cabinet: Cabinet;
  readonly expiry: Expiry;
  readonly scan: OfferScan;
  readonly feeds: FeedStore;
};
