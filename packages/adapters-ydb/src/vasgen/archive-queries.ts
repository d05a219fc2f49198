import { list, query, rows } from '../driver/query.ts';
import * as tables from '../schema/vasgen-archive-tables.ts';

const SEGMENT = tables.segments.columns;
const COLUMNS = Object.keys(SEGMENT).join(', ');
const TIME = 'client, to_ms, log_name, log_partition, from_offset';
const SCRUB = 'client, scrubbed_at_ms, log_name, log_partition, from_offset';
const KEY = { client: 'Utf8', log_name: 'Utf8', log_partition: 'Uint32', from_offset: 'Uint64' } as const;
const OF_K = `SELECT ${Object.keys(SEGMENT)
  .map((name) => `s.${name} AS ${name}`)
  .join(', ')}
FROM $k AS k INNER JOIN vasgen_segment AS s ON s.client = k.client AND s.log_name = k.log_name
  AND s.log_partition = k.log_partition AND s.from_offset = k.from_offset;`;

export const SEGMENTS_END = query({
  name: 'vasgen/segments-end',
  parameters: { client: 'Utf8', log_name: 'Utf8', log_partition: 'Uint32' },
  results: [{ to_offset: 'Uint64' }],
  text: `SELECT to_offset FROM vasgen_segment
WHERE client = $client AND log_name = $log_name AND log_partition = $log_partition
ORDER BY client DESC, log_name DESC, log_partition DESC, from_offset DESC LIMIT 1;`,
});
export const SEGMENT_READ = query({
  name: 'vasgen/segment-read',
  parameters: KEY,
  results: [SEGMENT],
  text: `SELECT ${COLUMNS} FROM vasgen_segment WHERE client = $client AND log_name = $log_name
AND log_partition = $log_partition AND from_offset = $from_offset;`,
});
/** Segments behind a place in the order of time. */
export const SEGMENTS_BY_TIME = query({
  name: 'vasgen/segments-by-time',
  parameters: {
    client: 'Utf8',
    to_ms: 'Int64',
    log_name: 'Utf8',
    log_partition: 'Uint32',
    from_offset: 'Uint64',
    limit: 'Uint64',
  },
  results: [SEGMENT],
  text: `$k = (SELECT ${TIME} FROM vasgen_segment_time WHERE client = $client AND to_ms >= $to_ms
  AND (to_ms > $to_ms OR log_name > $log_name OR (log_name = $log_name
    AND (log_partition > $log_partition OR (log_partition = $log_partition AND from_offset > $from_offset))))
  ORDER BY ${TIME} LIMIT $limit);
${OF_K}`,
});
export const SEGMENTS_SCRUBBED_BEFORE = query({
  name: 'vasgen/segments-scrubbed-before',
  parameters: { client: 'Utf8', before: 'Int64', limit: 'Uint64' },
  results: [SEGMENT],
  text: `$k = (SELECT ${SCRUB} FROM vasgen_segment_scrub WHERE client = $client AND scrubbed_at_ms < $before
  ORDER BY ${SCRUB} LIMIT $limit);
${OF_K}`,
});
export const SEGMENT_WRITE = query({
  name: 'vasgen/segment-write',
  parameters: {
    segments: rows(SEGMENT),
    scrubs_moved: rows(tables.segmentScrubs.columns),
    unnamed: rows({ segment: 'String' }),
    condemned: rows({ segment: 'String' }),
  },
  results: [],
  text: `UPSERT INTO vasgen_segment SELECT ${COLUMNS} FROM AS_TABLE($segments);
UPSERT INTO vasgen_segment_time SELECT ${TIME} FROM AS_TABLE($segments);
DELETE FROM vasgen_segment_scrub ON SELECT ${SCRUB} FROM AS_TABLE($scrubs_moved);
UPSERT INTO vasgen_segment_scrub SELECT ${SCRUB} FROM AS_TABLE($segments);
DELETE FROM vasgen_segment_named ON SELECT segment FROM AS_TABLE($unnamed);
UPSERT INTO vasgen_segment_named SELECT segment FROM AS_TABLE($segments);
UPSERT INTO vasgen_segment_condemned SELECT segment FROM AS_TABLE($condemned);
UPSERT INTO vasgen_segment_undeleted SELECT segment FROM AS_TABLE($condemned);`,
});
export const NAMED = query({
  name: 'vasgen/segments-named',
  parameters: { segments: list('String') },
  results: [{ segment: 'String' }],
  text: 'SELECT segment FROM vasgen_segment_named WHERE segment IN $segments;',
});
export const IS_CONDEMNED = query({
  name: 'vasgen/segment-is-condemned',
  parameters: { segment: 'String' },
  results: [{ segment: 'String' }],
  text: 'SELECT segment FROM vasgen_segment_condemned WHERE segment = $segment;',
});
export const UNDELETED = query({
  name: 'vasgen/segments-undeleted',
  parameters: { limit: 'Uint64' },
  results: [{ segment: 'String' }],
  text: 'SELECT segment FROM vasgen_segment_undeleted ORDER BY segment LIMIT $limit;',
});
export const DELETED = query({
  name: 'vasgen/segments-deleted',
  parameters: { segments: rows({ segment: 'String' }) },
  results: [],
  text: 'DELETE FROM vasgen_segment_undeleted ON SELECT segment FROM AS_TABLE($segments);',
});
export const ERASURES = query({
  name: 'vasgen/erasures',
  parameters: { client: 'Utf8', after: 'Utf8', limit: 'Uint64' },
  results: [{ pk: 'Utf8', at_ms: 'Int64' }],
  text: `SELECT pk, at_ms FROM vasgen_erasure WHERE client = $client AND pk > $after
ORDER BY client, pk LIMIT $limit;`,
});
export const ERASED_BEFORE = query({
  name: 'vasgen/erased-before',
  parameters: { client: 'Utf8', bucket: 'Uint32', before: 'Int64', limit: 'Uint64' },
  results: [tables.erasureAges.columns],
  text: `SELECT client, bucket, at_ms, pk FROM vasgen_erasure_age
WHERE client = $client AND bucket = $bucket AND at_ms < $before ORDER BY client, bucket, at_ms, pk LIMIT $limit;`,
});
export const ERASURES_FORGET = query({
  name: 'vasgen/erasures-forget',
  parameters: { ages: rows(tables.erasureAges.columns) },
  results: [],
  text: `DELETE FROM vasgen_erasure ON SELECT client, pk FROM AS_TABLE($ages);
DELETE FROM vasgen_erasure_age ON SELECT client, bucket, at_ms, pk FROM AS_TABLE($ages);`,
});
export const archiveQueries = [
  SEGMENTS_END,
  SEGMENT_READ,
  SEGMENTS_BY_TIME,
  SEGMENTS_SCRUBBED_BEFORE,
  SEGMENT_WRITE,
  NAMED,
  IS_CONDEMNED,
  UNDELETED,
  DELETED,
  ERASURES,
  ERASED_BEFORE,
  ERASURES_FORGET,
];
