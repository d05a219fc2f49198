import { table } from './table-spec.ts';

/**
 * Kind 0 is the head of an offer: a commit checks it, and every change rewrites it. The other kinds are the bodies
 * (1 content, 2 moderation, 3 images): a change rewrites only the bodies that it touches. Only heads have `version`,
 * `status` and `seller`.
 */
export const offers = table({
  name: 'gost_offer',
  columns: {
    id: 'Utf8',
    kind: 'Uint32',
    version: 'Uint64?',
    status: 'Uint32?',
    seller: 'Utf8?',
    body: 'String',
  },
  primaryKey: ['id', 'kind'],
});
/** Every offer by the upper half of its id's XXH64. */
export const offerHashes = table({
  name: 'gost_offer_hash',
  columns: { hash: 'Uint64', offer_id: 'Utf8' },
  primaryKey: ['hash', 'offer_id'],
});
export const sellerOffers = table({
  name: 'gost_offer_seller',
  columns: { seller: 'Utf8', offer_id: 'Utf8' },
  primaryKey: ['seller', 'offer_id'],
});
export const history = table({
  name: 'gost_offer_history',
  columns: { offer_id: 'Utf8', version: 'Uint64', body: 'String' },
  primaryKey: ['offer_id', 'version'],
});
/** One row for each offer that was ever sold on the platform. The totals Sold and MoneyEarned are sums of these rows. */
export const sales = table({
  name: 'gost_sale',
  columns: { seller: 'Utf8', offer_id: 'Utf8', currency: 'Utf8', earned: 'Int64' },
  primaryKey: ['seller', 'offer_id'],
});

/** A list is read newest first: the key backwards. */
export const presets = table({
  name: 'gost_user_offer_presets',
  columns: { seller: 'Utf8', preset: 'Uint32', created_at_us: 'Uint64', offer_id: 'Utf8' },
  primaryKey: ['seller', 'preset', 'created_at_us', 'offer_id'],
});
/** While a repair runs, (repair_at_us, repair_offer_id) is the last line that it has counted. It goes downward. */
export const presetCounts = table({
  name: 'gost_user_offer_presets_count',
  columns: {
    seller: 'Utf8',
    preset: 'Uint32',
    counter: 'Int64',
    repair_at_us: 'Uint64?',
    repair_offer_id: 'Utf8?',
    repair_partial: 'Int64',
  },
  primaryKey: ['seller', 'preset'],
});
export const totals = table({
  name: 'gost_user_total_counters',
  columns: { seller: 'Utf8', total: 'Uint32', currency: 'Utf8', seq_no: 'Uint32', value: 'Int64' },
  primaryKey: ['seller', 'total', 'currency', 'seq_no'],
});
/** How often a seller's totals were repaired. Concurrent repairs conflict here; else both would subtract the drift. */
export const totalRepairs = table({
  name: 'gost_total_repair',
  columns: { seller: 'Utf8', repairs: 'Uint64' },
  primaryKey: ['seller'],
});

export const queue = table({
  name: 'gost_queue',
  columns: {
    shard: 'Uint32',
    at_us: 'Uint64',
    topic: 'Utf8',
    record_key: 'Utf8',
    record_id: 'Utf8',
    body: 'String',
  },
  primaryKey: ['shard', 'at_us', 'topic', 'record_key', 'record_id'],
});
export const expiry = table({
  name: 'gost_expiry',
  columns: { shard: 'Uint32', expires_at_us: 'Uint64', offer_id: 'Utf8' },
  primaryKey: ['shard', 'expires_at_us', 'offer_id'],
});
/** Settings that routing depends on. */
export const settings = table({
  name: 'gost_setting',
  columns: { name: 'Utf8', setting: 'Uint64' },
  primaryKey: ['name'],
});

/** A slot is never deleted: its version keeps growing, so that an old version never matches again. */
export const currentDrafts = table({
  name: 'gost_current_draft',
  columns: {
    owner_kind: 'Uint32',
    owner_id: 'Utf8',
    version: 'Uint64',
    saved_at_us: 'Uint64',
    draft_id: 'Utf8?',
  },
  primaryKey: ['owner_kind', 'owner_id'],
});
/** `body` is null once the draft is published. */
export const drafts = table({
  name: 'gost_draft',
  columns: { id: 'Utf8', body: 'String?', offer_id: 'Utf8?', published_at_us: 'Uint64?' },
  primaryKey: ['id'],
});
/** Drafts of anonymous owners by age; a bucket is a hash of the owner. */
export const savedDrafts = table({
  name: 'gost_draft_saved',
  columns: { bucket: 'Uint32', saved_at_us: 'Uint64', owner_id: 'Utf8' },
  primaryKey: ['bucket', 'saved_at_us', 'owner_id'],
});
export const publishedDrafts = table({
  name: 'gost_draft_published',
  columns: { bucket: 'Uint32', published_at_us: 'Uint64', draft_id: 'Utf8' },
  primaryKey: ['bucket', 'published_at_us', 'draft_id'],
});

export const feedProgress = table({
  name: 'gost_feed_progress',
  columns: { seller: 'Utf8', namespace: 'Utf8', version: 'Uint64', body: 'String' },
  primaryKey: ['seller', 'namespace'],
});
export const feedRows = table({
  name: 'gost_feed',
  columns: {
    seller: 'Utf8',
    namespace: 'Utf8',
    external_id: 'Utf8',
    task: 'Uint64',
    removed_at_us: 'Uint64?',
    body: 'String',
  },
  primaryKey: ['seller', 'namespace', 'external_id'],
});
/** Feed rows that are not removed, by the load that last contained them. */
export const feedTasks = table({
  name: 'gost_feed_task',
  columns: { seller: 'Utf8', namespace: 'Utf8', task: 'Uint64', external_id: 'Utf8' },
  primaryKey: ['seller', 'namespace', 'task', 'external_id'],
});
/** Removed feed rows by age; a bucket is a hash of the seller. */
export const removedFeedRows = table({
  name: 'gost_feed_removed',
  columns: {
    bucket: 'Uint32',
    removed_at_us: 'Uint64',
    seller: 'Utf8',
    namespace: 'Utf8',
    external_id: 'Utf8',
  },
  primaryKey: ['bucket', 'removed_at_us', 'seller', 'namespace', 'external_id'],
});

export const gostTables = [
  offers,
  offerHashes,
  sellerOffers,
  history,
  sales,
  presets,
  presetCounts,
  totals,
  totalRepairs,
  queue,
  expiry,
  settings,
  currentDrafts,
  drafts,
  savedDrafts,
  publishedDrafts,
  feedProgress,
  feedRows,
  feedTasks,
  removedFeedRows,
];
