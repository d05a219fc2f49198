import { table } from './table-spec.ts';

/** Documents whose bodies must leave the archive. */
export const erasures = table({
  name: 'vasgen_erasure',
  columns: { client: 'Utf8', pk: 'Utf8', at_ms: 'Int64' },
  primaryKey: ['client', 'pk'],
});
/** Erasures by age; a bucket is a hash of the document's key. */
export const erasureAges = table({
  name: 'vasgen_erasure_age',
  columns: { client: 'Utf8', bucket: 'Uint32', at_ms: 'Int64', pk: 'Utf8' },
  primaryKey: ['client', 'bucket', 'at_ms', 'pk'],
});
const KEY = { client: 'Utf8', log_name: 'Utf8', log_partition: 'Uint32', from_offset: 'Uint64' } as const;
/** A row for each segment. Its bytes are a blob, named by its SHA-256. */
export const segments = table({
  name: 'vasgen_segment',
  columns: {
    ...KEY,
    to_offset: 'Uint64',
    from_ms: 'Int64',
    to_ms: 'Int64',
    records: 'Uint32',
    stored_bytes: 'Uint64',
    segment: 'String',
    checksum: 'Utf8',
    written_at_ms: 'Int64',
    scrubbed_at_ms: 'Int64',
  },
  primaryKey: ['client', 'log_name', 'log_partition', 'from_offset'],
});
/** Segments by the time of their last record. A client has a few new ones a minute, so no partition gets hot. */
export const segmentTimes = table({
  name: 'vasgen_segment_time',
  columns: {
    client: 'Utf8',
    to_ms: 'Int64',
    log_name: 'Utf8',
    log_partition: 'Uint32',
    from_offset: 'Uint64',
  },
  primaryKey: ['client', 'to_ms', 'log_name', 'log_partition', 'from_offset'],
});
/** Segments by when they were scrubbed last. */
export const segmentScrubs = table({
  name: 'vasgen_segment_scrub',
  columns: {
    client: 'Utf8',
    scrubbed_at_ms: 'Int64',
    log_name: 'Utf8',
    log_partition: 'Uint32',
    from_offset: 'Uint64',
  },
  primaryKey: ['client', 'scrubbed_at_ms', 'log_name', 'log_partition', 'from_offset'],
});
/** Bytes that a row names. A segment that is added writes here and reads the next table; a condemnation reads here and writes there. So the two conflict. */
export const segmentNamed = table({
  name: 'vasgen_segment_named',
  columns: { segment: 'String' },
  primaryKey: ['segment'],
});
/** The row stays after the bytes are deleted: a late segment must find it. */
export const segmentCondemned = table({
  name: 'vasgen_segment_condemned',
  columns: { segment: 'String' },
  primaryKey: ['segment'],
});
/** Condemned bytes that may still exist. */
export const segmentUndeleted = table({
  name: 'vasgen_segment_undeleted',
  columns: { segment: 'String' },
  primaryKey: ['segment'],
});

export const vasgenArchiveTables = [
  erasures,
  erasureAges,
  segments,
  segmentTimes,
  segmentScrubs,
  segmentNamed,
  segmentCondemned,
  segmentUndeleted,
];
