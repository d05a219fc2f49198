import { list, query, rows } from '../driver/query.ts';
import * as tables from '../schema/search-tables.ts';

export const RATES_PUT = query({
  name: 'search/rates-put',
  parameters: { rates: rows(tables.clickRates.columns) },
  results: [],
  text: 'UPSERT INTO search_click_rate SELECT bucket, epoch_ms, offer, rate FROM AS_TABLE($rates);',
});
export const RATES_OF = query({
  name: 'search/rates-of',
  parameters: { keys: rows({ bucket: 'Uint32', epoch_ms: 'Int64', offer: 'Utf8' }) },
  results: [{ offer: 'Utf8', rate: 'Utf8' }],
  text: `SELECT r.offer AS offer, r.rate AS rate FROM AS_TABLE($keys) AS k INNER JOIN search_click_rate AS r
  ON r.bucket = k.bucket AND r.epoch_ms = k.epoch_ms AND r.offer = k.offer;`,
});
/** Counts one slice of a bucket, and tells where it ends. */
export const RATES_COUNT = query({
  name: 'search/rates-count',
  parameters: { bucket: 'Uint32', epoch_ms: 'Int64', after: 'Utf8', limit: 'Uint64' },
  results: [{ n: 'Uint64', last: 'Utf8?' }],
  text: `SELECT COUNT(*) AS n, MAX(offer) AS last FROM (SELECT offer FROM search_click_rate
  WHERE bucket = $bucket AND epoch_ms = $epoch_ms AND offer > $after
  ORDER BY bucket, epoch_ms, offer LIMIT $limit) AS s;`,
});
export const RATES_NEXT_EPOCH = query({
  name: 'search/rates-next-epoch',
  parameters: { bucket: 'Uint32', after: 'Int64' },
  results: [{ epoch_ms: 'Int64' }],
  text: `SELECT epoch_ms FROM search_click_rate WHERE bucket = $bucket AND epoch_ms > $after
ORDER BY bucket, epoch_ms, offer LIMIT 1;`,
});
export const RATES_OF_EPOCH = query({
  name: 'search/rates-of-epoch',
  parameters: { bucket: 'Uint32', epoch_ms: 'Int64', limit: 'Uint64' },
  results: [{ bucket: 'Uint32', epoch_ms: 'Int64', offer: 'Utf8' }],
  text: `SELECT bucket, epoch_ms, offer FROM search_click_rate WHERE bucket = $bucket AND epoch_ms = $epoch_ms
ORDER BY bucket, epoch_ms, offer LIMIT $limit;`,
});
export const RATES_DELETE = query({
  name: 'search/rates-delete',
  parameters: { keys: rows({ bucket: 'Uint32', epoch_ms: 'Int64', offer: 'Utf8' }) },
  results: [],
  text: 'DELETE FROM search_click_rate ON SELECT bucket, epoch_ms, offer FROM AS_TABLE($keys);',
});

export const CTR_ADD = query({
  name: 'search/ctr-add',
  parameters: { elements: rows(tables.ctrQueue.columns) },
  results: [],
  text: 'UPSERT INTO search_ctr_queue SELECT source, offer FROM AS_TABLE($elements);',
});
/** Elements of one table. */
export const CTR_OF_SOURCE = query({
  name: 'search/ctr-of-source',
  parameters: { source: 'Utf8', after: 'Utf8', limit: 'Uint64' },
  results: [tables.ctrQueue.columns],
  text: `SELECT source, offer FROM search_ctr_queue WHERE source = $source AND offer > $after
ORDER BY source, offer LIMIT $limit;`,
});
/** Elements of the tables behind one. */
export const CTR_BEHIND = query({
  name: 'search/ctr-behind',
  parameters: { source: 'Utf8', limit: 'Uint64' },
  results: [tables.ctrQueue.columns],
  text: 'SELECT source, offer FROM search_ctr_queue WHERE source > $source ORDER BY source, offer LIMIT $limit;',
});
export const CTR_COUNT = query({
  name: 'search/ctr-count',
  parameters: { source: 'Utf8', after: 'Utf8', limit: 'Uint64' },
  results: [{ n: 'Uint64', last: 'Utf8?' }],
  text: `SELECT COUNT(*) AS n, MAX(offer) AS last FROM (SELECT offer FROM search_ctr_queue
  WHERE source = $source AND offer > $after ORDER BY source, offer LIMIT $limit) AS s;`,
});
export const CTR_REMOVE = query({
  name: 'search/ctr-remove',
  parameters: { elements: rows(tables.ctrQueue.columns) },
  results: [],
  text: 'DELETE FROM search_ctr_queue ON SELECT source, offer FROM AS_TABLE($elements);',
});

const PARKED = tables.parkedOffers.columns;
const PARKED_COLUMNS = Object.keys(PARKED).join(', ');
export const LOT_FIND = query({
  name: 'search/lot-find',
  parameters: { offers: list('Utf8') },
  results: [PARKED],
  text: `SELECT ${PARKED_COLUMNS} FROM search_parked WHERE offer IN $offers;`,
});
export const LOT_DUE = query({
  name: 'search/lot-due',
  parameters: { bucket: 'Uint32', now: 'Int64', limit: 'Uint64' },
  results: [{ retry_at_ms: 'Int64', offer: 'Utf8' }],
  text: `SELECT retry_at_ms, offer FROM search_parked_due WHERE bucket = $bucket AND retry_at_ms <= $now
ORDER BY bucket, retry_at_ms, offer LIMIT $limit;`,
});
export const LOT_LIST = query({
  name: 'search/lot-list',
  parameters: { after: 'Utf8', limit: 'Uint64' },
  results: [PARKED],
  text: `SELECT ${PARKED_COLUMNS} FROM search_parked WHERE offer > $after ORDER BY offer LIMIT $limit;`,
});
export const LOT_COUNT = query({
  name: 'search/lot-count',
  parameters: { after: 'Utf8', limit: 'Uint64' },
  results: [{ n: 'Uint64', last: 'Utf8?' }],
  text: `SELECT COUNT(*) AS n, MAX(offer) AS last FROM (SELECT offer FROM search_parked
  WHERE offer > $after ORDER BY offer LIMIT $limit) AS s;`,
});
export const LOT_WRITE = query({
  name: 'search/lot-write',
  parameters: {
    gone: rows({ offer: 'Utf8' }),
    parked: rows(PARKED),
    due_gone: rows(tables.parkedDue.columns),
    due: rows(tables.parkedDue.columns),
  },
  results: [],
  text: `DELETE FROM search_parked ON SELECT offer FROM AS_TABLE($gone);
UPSERT INTO search_parked SELECT ${PARKED_COLUMNS} FROM AS_TABLE($parked);
DELETE FROM search_parked_due ON SELECT bucket, retry_at_ms, offer FROM AS_TABLE($due_gone);
UPSERT INTO search_parked_due SELECT bucket, retry_at_ms, offer FROM AS_TABLE($due);`,
});
export const searchQueries = [
  RATES_PUT,
  RATES_OF,
  RATES_COUNT,
  RATES_NEXT_EPOCH,
  RATES_OF_EPOCH,
  RATES_DELETE,
  CTR_ADD,
  CTR_OF_SOURCE,
  CTR_BEHIND,
  CTR_COUNT,
  CTR_REMOVE,
  LOT_FIND,
  LOT_DUE,
  LOT_LIST,
  LOT_COUNT,
  LOT_WRITE,
];
