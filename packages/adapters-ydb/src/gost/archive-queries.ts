import { list, query, rows } from '../driver/query.ts';
import * as archived from '../schema/archive-tables.ts';
import * as tables from '../schema/gost-tables.ts';

const POINTER = 'offer_id, seller, version, segment, at_offset, length, archived_at_us';

export const POINTERS = query({
  name: 'gost/archive-pointers',
  parameters: { ids: list('Utf8') },
  results: [archived.archive.columns],
  text: `SELECT ${POINTER} FROM gost_archive WHERE offer_id IN $ids;`,
});
export const ARCHIVED_OF_SELLER = query({
  name: 'gost/archive-of-seller',
  parameters: { seller: 'Utf8', after: 'Utf8', limit: 'Uint64' },
  results: [{ offer_id: 'Utf8' }],
  text: `SELECT offer_id FROM gost_archive_seller WHERE seller = $seller AND offer_id > $after
ORDER BY seller, offer_id LIMIT $limit;`,
});
export const ARCHIVED_IN_SEGMENT = query({
  name: 'gost/archive-in-segment',
  parameters: { segment: 'String' },
  results: [{ offer_id: 'Utf8' }],
  text: `SELECT offer_id FROM gost_archive_segment WHERE segment = $segment ORDER BY segment, offer_id LIMIT 1000;`,
});
export const NAMED = query({
  name: 'gost/archive-named',
  parameters: { segments: list('String') },
  results: [{ segment: 'String' }],
  text: 'SELECT segment FROM gost_archive_named WHERE segment IN $segments;',
});
export const IS_CONDEMNED = query({
  name: 'gost/archive-is-condemned',
  parameters: { segment: 'String' },
  results: [{ segment: 'String' }],
  text: 'SELECT segment FROM gost_archive_condemned WHERE segment = $segment;',
});
/** Also deletes kinds that a newer version has written. */
export const KINDS_OF = query({
  name: 'gost/archive-kinds',
  parameters: { ids: list('Utf8') },
  results: [{ id: 'Utf8', kind: 'Uint32' }],
  text: 'SELECT id, kind FROM gost_offer WHERE id IN $ids ORDER BY id, kind LIMIT 1001;',
});
export const MOVE_OUT = query({
  name: 'gost/archive-move-out',
  parameters: {
    parts: rows({ id: 'Utf8', kind: 'Uint32' }),
    hashes: rows(tables.offerHashes.columns),
    sellers: rows(tables.sellerOffers.columns),
    history: rows({ offer_id: 'Utf8', version: 'Uint64' }),
    lines: rows(tables.presets.columns),
    counts: rows(tables.presetCounts.columns),
    totals: rows(tables.totals.columns),
    due: rows(archived.archiveDue.columns),
  },
  results: [],
  text: `DELETE FROM gost_offer ON SELECT id, kind FROM AS_TABLE($parts);
DELETE FROM gost_offer_hash ON SELECT hash, offer_id FROM AS_TABLE($hashes);
DELETE FROM gost_offer_seller ON SELECT seller, offer_id FROM AS_TABLE($sellers);
DELETE FROM gost_offer_history ON SELECT offer_id, version FROM AS_TABLE($history);
DELETE FROM gost_user_offer_presets ON SELECT seller, preset, created_at_us, offer_id FROM AS_TABLE($lines);
UPSERT INTO gost_user_offer_presets_count
  SELECT seller, preset, counter, repair_at_us, repair_offer_id, repair_partial FROM AS_TABLE($counts);
UPSERT INTO gost_user_total_counters SELECT seller, total, currency, seq_no, value FROM AS_TABLE($totals);
DELETE FROM gost_archive_due ON SELECT shard, retired_at_us, offer_id FROM AS_TABLE($due);`,
});
export const MOVE_IN = query({
  name: 'gost/archive-move-in',
  parameters: { pointers: rows(archived.archive.columns), segment: 'String' },
  results: [],
  text: `UPSERT INTO gost_archive SELECT ${POINTER} FROM AS_TABLE($pointers);
UPSERT INTO gost_archive_seller SELECT seller, offer_id FROM AS_TABLE($pointers);
UPSERT INTO gost_archive_segment SELECT segment, offer_id FROM AS_TABLE($pointers);
UPSERT INTO gost_archive_named (segment) VALUES ($segment);`,
});
export const REWRITE_OUT = query({
  name: 'gost/archive-rewrite-out',
  parameters: {
    gone: rows(archived.archiveSegments.columns),
    segment: 'String',
    queue: rows(tables.queue.columns),
  },
  results: [],
  text: `DELETE FROM gost_archive_segment ON SELECT segment, offer_id FROM AS_TABLE($gone);
DELETE FROM gost_archive_named WHERE segment = $segment;
UPSERT INTO gost_archive_condemned (segment) VALUES ($segment);
UPSERT INTO gost_archive_undeleted (segment) VALUES ($segment);
UPSERT INTO gost_queue SELECT shard, at_us, topic, record_key, record_id, body FROM AS_TABLE($queue);`,
});
export const CONDEMN = query({
  name: 'gost/archive-condemn',
  parameters: { segment: 'String' },
  results: [],
  text: `UPSERT INTO gost_archive_condemned (segment) VALUES ($segment);
UPSERT INTO gost_archive_undeleted (segment) VALUES ($segment);`,
});
export const UNDELETED = query({
  name: 'gost/archive-undeleted',
  parameters: { limit: 'Uint64' },
  results: [{ segment: 'String' }],
  text: 'SELECT segment FROM gost_archive_undeleted ORDER BY segment LIMIT $limit;',
});
export const DELETED = query({
  name: 'gost/archive-deleted',
  parameters: { segments: rows({ segment: 'String' }) },
  results: [],
  text: 'DELETE FROM gost_archive_undeleted ON SELECT segment FROM AS_TABLE($segments);',
});
export const archiveQueries = [
  POINTERS,
  ARCHIVED_OF_SELLER,
  ARCHIVED_IN_SEGMENT,
  NAMED,
  IS_CONDEMNED,
  KINDS_OF,
  MOVE_OUT,
  MOVE_IN,
  REWRITE_OUT,
  CONDEMN,
  UNDELETED,
  DELETED,
];
