import { table } from './table-spec.ts';

/**
 * Click rates of offers. A load writes millions of rows of one new epoch, so the bucket, a hash of the offer, stands before
 * it. The rate is the shortest text that reads back as the same number.
 */
export const clickRates = table({
  name: 'search_click_rate',
  columns: { bucket: 'Uint32', epoch_ms: 'Int64', offer: 'Utf8', rate: 'Utf8' },
  primaryKey: ['bucket', 'epoch_ms', 'offer'],
});
/** Offers that wait to be sent again, by the table that named them. Ids of offers are random, so they spread. */
export const ctrQueue = table({
  name: 'search_ctr_queue',
  columns: { source: 'Utf8', offer: 'Utf8' },
  primaryKey: ['source', 'offer'],
});
export const parkedOffers = table({
  name: 'search_parked',
  columns: {
    offer: 'Utf8',
    cause: 'Utf8',
    reason: 'Utf8',
    version_us: 'Int64',
    since_ms: 'Int64',
    retry_at_ms: 'Int64',
    attempts: 'Uint32',
    sent: 'Bool',
    revision: 'Uint64',
  },
  primaryKey: ['offer'],
});
/** Parked offers by the time of their retry; a bucket is a hash of the offer. */
export const parkedDue = table({
  name: 'search_parked_due',
  columns: { bucket: 'Uint32', retry_at_ms: 'Int64', offer: 'Utf8' },
  primaryKey: ['bucket', 'retry_at_ms', 'offer'],
});

export const searchTables = [clickRates, ctrQueue, parkedOffers, parkedDue];
