import { query, rows, list } from '../driver/query.ts';
import { archiveDue } from '../schema/archive-tables.ts';
import * as tables from '../schema/gost-tables.ts';

/** The rows that a commit reads. Every row is found by its key; reading an absent key also protects it from a concurrent insert. */
export const READ_OFFERS = query({
  name: 'gost/commit-read-offers',
  parameters: {
    ids: list('Utf8'),
    made: list('Utf8'),
    lists: rows({ seller: 'Utf8', preset: 'Uint32' }),
    totals: rows({ seller: 'Utf8', total: 'Uint32', currency: 'Utf8', seq_no: 'Uint32' }),
  },
  results: [
    { id: 'Utf8', version: 'Uint64?' },
    { offer_id: 'Utf8' },
    tables.presetCounts.columns,
    tables.totals.columns,
  ],
  text: `SELECT id, version FROM gost_offer WHERE id IN $ids AND kind = 0u;
SELECT offer_id FROM gost_archive WHERE offer_id IN $made;
SELECT c.seller AS seller, c.preset AS preset, c.counter AS counter, c.repair_at_us AS repair_at_us,
  c.repair_offer_id AS repair_offer_id, c.repair_partial AS repair_partial
FROM AS_TABLE($lists) AS k INNER JOIN gost_user_offer_presets_count AS c ON c.seller = k.seller AND c.preset = k.preset;
SELECT c.seller AS seller, c.total AS total, c.currency AS currency, c.seq_no AS seq_no, c.value AS value
FROM AS_TABLE($totals) AS k INNER JOIN gost_user_total_counters AS c
  ON c.seller = k.seller AND c.total = k.total AND c.currency = k.currency AND c.seq_no = k.seq_no;`,
});
export const READ_DRAFTS = query({
  name: 'gost/commit-read-drafts',
  parameters: { slots: rows({ owner_kind: 'Uint32', owner_id: 'Utf8' }) },
  results: [tables.currentDrafts.columns],
  text: `SELECT c.owner_kind AS owner_kind, c.owner_id AS owner_id, c.version AS version, c.saved_at_us AS saved_at_us,
  c.draft_id AS draft_id
FROM AS_TABLE($slots) AS k INNER JOIN gost_current_draft AS c ON c.owner_kind = k.owner_kind AND c.owner_id = k.owner_id;`,
});
export const READ_FEEDS = query({
  name: 'gost/commit-read-feeds',
  parameters: {
    feeds: rows({ seller: 'Utf8', namespace: 'Utf8' }),
    rows: rows({ seller: 'Utf8', namespace: 'Utf8', external_id: 'Utf8' }),
  },
  results: [
    { seller: 'Utf8', namespace: 'Utf8', version: 'Uint64' },
    { seller: 'Utf8', namespace: 'Utf8', external_id: 'Utf8', task: 'Uint64', removed_at_us: 'Uint64?' },
  ],
  text: `SELECT c.seller AS seller, c.namespace AS namespace, c.version AS version
FROM AS_TABLE($feeds) AS k INNER JOIN gost_feed_progress AS c ON c.seller = k.seller AND c.namespace = k.namespace;
SELECT c.seller AS seller, c.namespace AS namespace, c.external_id AS external_id, c.task AS task,
  c.removed_at_us AS removed_at_us
FROM AS_TABLE($rows) AS k INNER JOIN gost_feed AS c
  ON c.seller = k.seller AND c.namespace = k.namespace AND c.external_id = k.external_id;`,
});

export const WRITE_DRAFTS = query({
  name: 'gost/commit-write-drafts',
  parameters: {
    slots: rows(tables.currentDrafts.columns),
    drafts: rows(tables.drafts.columns),
    erased: rows({ id: 'Utf8' }),
    unsaved: rows(tables.savedDrafts.columns),
    saved: rows(tables.savedDrafts.columns),
    published: rows(tables.publishedDrafts.columns),
  },
  results: [],
  text: `UPSERT INTO gost_current_draft SELECT owner_kind, owner_id, version, saved_at_us, draft_id FROM AS_TABLE($slots);
DELETE FROM gost_draft ON SELECT id FROM AS_TABLE($erased);
UPSERT INTO gost_draft SELECT id, body, offer_id, published_at_us FROM AS_TABLE($drafts);
DELETE FROM gost_draft_saved ON SELECT bucket, saved_at_us, owner_id FROM AS_TABLE($unsaved);
UPSERT INTO gost_draft_saved SELECT bucket, saved_at_us, owner_id FROM AS_TABLE($saved);
UPSERT INTO gost_draft_published SELECT bucket, published_at_us, draft_id FROM AS_TABLE($published);`,
});
export const WRITE_FEEDS = query({
  name: 'gost/commit-write-feeds',
  parameters: {
    progress: rows(tables.feedProgress.columns),
    dropped: rows({ seller: 'Utf8', namespace: 'Utf8', external_id: 'Utf8' }),
    rows: rows(tables.feedRows.columns),
    untasked: rows(tables.feedTasks.columns),
    tasked: rows(tables.feedTasks.columns),
    returned: rows(tables.removedFeedRows.columns),
    removed: rows(tables.removedFeedRows.columns),
  },
  results: [],
  text: `UPSERT INTO gost_feed_progress SELECT seller, namespace, version, body FROM AS_TABLE($progress);
DELETE FROM gost_feed ON SELECT seller, namespace, external_id FROM AS_TABLE($dropped);
UPSERT INTO gost_feed SELECT seller, namespace, external_id, task, removed_at_us, body FROM AS_TABLE($rows);
DELETE FROM gost_feed_task ON SELECT seller, namespace, task, external_id FROM AS_TABLE($untasked);
UPSERT INTO gost_feed_task SELECT seller, namespace, task, external_id FROM AS_TABLE($tasked);
DELETE FROM gost_feed_removed ON SELECT bucket, removed_at_us, seller, namespace, external_id FROM AS_TABLE($returned);
UPSERT INTO gost_feed_removed SELECT bucket, removed_at_us, seller, namespace, external_id FROM AS_TABLE($removed);`,
});
export const WRITE_OFFERS = query({
  name: 'gost/commit-write-offers',
  parameters: {
    parts: rows(tables.offers.columns),
    hashes: rows(tables.offerHashes.columns),
    sellers: rows(tables.sellerOffers.columns),
    history: rows(tables.history.columns),
    sales: rows(tables.sales.columns),
    lines_gone: rows(tables.presets.columns),
    lines: rows(tables.presets.columns),
    counts: rows(tables.presetCounts.columns),
    totals: rows(tables.totals.columns),
    queue: rows(tables.queue.columns),
    expiry_gone: rows(tables.expiry.columns),
    expiry: rows(tables.expiry.columns),
    archive_gone: rows(archiveDue.columns),
    archive: rows(archiveDue.columns),
  },
  results: [],
  text: `UPSERT INTO gost_offer SELECT id, kind, version, status, seller, body FROM AS_TABLE($parts);
UPSERT INTO gost_offer_hash SELECT hash, offer_id FROM AS_TABLE($hashes);
UPSERT INTO gost_offer_seller SELECT seller, offer_id FROM AS_TABLE($sellers);
UPSERT INTO gost_offer_history SELECT offer_id, version, body FROM AS_TABLE($history);
UPSERT INTO gost_sale SELECT seller, offer_id, currency, earned FROM AS_TABLE($sales);
DELETE FROM gost_user_offer_presets ON SELECT seller, preset, created_at_us, offer_id FROM AS_TABLE($lines_gone);
UPSERT INTO gost_user_offer_presets SELECT seller, preset, created_at_us, offer_id FROM AS_TABLE($lines);
UPSERT INTO gost_user_offer_presets_count
  SELECT seller, preset, counter, repair_at_us, repair_offer_id, repair_partial FROM AS_TABLE($counts);
UPSERT INTO gost_user_total_counters SELECT seller, total, currency, seq_no, value FROM AS_TABLE($totals);
UPSERT INTO gost_queue SELECT shard, at_us, topic, record_key, record_id, body FROM AS_TABLE($queue);
DELETE FROM gost_expiry ON SELECT shard, expires_at_us, offer_id FROM AS_TABLE($expiry_gone);
UPSERT INTO gost_expiry SELECT shard, expires_at_us, offer_id FROM AS_TABLE($expiry);
DELETE FROM gost_archive_due ON SELECT shard, retired_at_us, offer_id FROM AS_TABLE($archive_gone);
UPSERT INTO gost_archive_due SELECT shard, retired_at_us, offer_id FROM AS_TABLE($archive);`,
});
export const commitQueries = [READ_OFFERS, READ_DRAFTS, READ_FEEDS, WRITE_DRAFTS, WRITE_FEEDS, WRITE_OFFERS];
