import { table } from './table-spec.ts';

/** Retired offers by age, as `gost_expiry` has the active ones. */
export const archiveDue = table({
  name: 'gost_archive_due',
  columns: { shard: 'Uint32', retired_at_us: 'Uint64', offer_id: 'Utf8' },
  primaryKey: ['shard', 'retired_at_us', 'offer_id'],
});
/** One row for each archived offer: which slice of which segment it is. A segment is a blob, named by its SHA-256. */
export const archive = table({
  name: 'gost_archive',
  columns: {
    offer_id: 'Utf8',
    seller: 'Utf8',
    version: 'Uint64',
    segment: 'String',
    at_offset: 'Uint64',
    length: 'Uint64',
    archived_at_us: 'Uint64',
  },
  primaryKey: ['offer_id'],
});
export const archiveSellers = table({
  name: 'gost_archive_seller',
  columns: { seller: 'Utf8', offer_id: 'Utf8' },
  primaryKey: ['seller', 'offer_id'],
});
export const archiveSegments = table({
  name: 'gost_archive_segment',
  columns: { segment: 'String', offer_id: 'Utf8' },
  primaryKey: ['segment', 'offer_id'],
});
/** Segments with offers. A move writes here and reads the next table; a condemnation reads here and writes there. So the two conflict. */
export const archiveNamed = table({
  name: 'gost_archive_named',
  columns: { segment: 'String' },
  primaryKey: ['segment'],
});
/** The row stays after the bytes are deleted: a late move must find it. */
export const archiveCondemned = table({
  name: 'gost_archive_condemned',
  columns: { segment: 'String' },
  primaryKey: ['segment'],
});
/** Condemned segments whose bytes may still exist. */
export const archiveUndeleted = table({
  name: 'gost_archive_undeleted',
  columns: { segment: 'String' },
  primaryKey: ['segment'],
});

export const archiveTables = [
  archiveDue,
  archive,
  archiveSellers,
  archiveSegments,
  archiveNamed,
  archiveCondemned,
  archiveUndeleted,
];
