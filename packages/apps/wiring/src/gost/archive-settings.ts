import { daysOrOff, setting, wholeNumber } from '@doska/app-composition';

const DAY_MS = 86_400_000;

/** Settings of the archive of the offer store. */
export const archiveSettings = {
  archiveDays: setting(
    'DOSKA_GOST_ARCHIVE_DAYS',
    daysOrOff.default(180),
    'Days after which an expired, sold or removed offer moves to the archive. `off` or 0: never. At least DOSKA_GOST_BANNED_FEED_DAYS.',
  ),
  archiveBatch: setting(
    'DOSKA_GOST_ARCHIVE_BATCH',
    wholeNumber(1, 1_000).default(500),
    'The most offers in a segment of the archive.',
  ),
  archiveSegmentBytes: setting(
    'DOSKA_GOST_ARCHIVE_SEGMENT_BYTES',
    wholeNumber(64 << 10, 64 << 20).default(4 << 20),
    'The largest segment of the archive, in bytes. A larger offer gets a segment of its own.',
  ),
  archiveEveryMs: setting(
    'DOSKA_GOST_ARCHIVE_EVERY_MS',
    wholeNumber(100, DAY_MS).default(60_000),
    'How often a shard is searched for offers to archive.',
  ),
  archiveReads: setting(
    'DOSKA_GOST_ARCHIVE_READS',
    wholeNumber(1, 100).default(8),
    'Archived offers that one call reads at the same time.',
  ),
  archiveSweepMs: setting(
    'DOSKA_GOST_ARCHIVE_SWEEP_MS',
    wholeNumber(1_000, 30 * DAY_MS).default(21_600_000),
    'How often the archive is searched for segments that no offer uses.',
  ),
  archiveGraceMs: setting(
    'DOSKA_GOST_ARCHIVE_GRACE_MS',
    wholeNumber(1_000, 30 * DAY_MS).default(DAY_MS),
    'How long a segment must be unused before it is deleted.',
  ),
};
