import { daysOrOff, setting, wholeNumber } from '../setting.ts';

const DAY_MS = 86_400_000;

/** Of the offer store's archive. */
export const archiveSettings = {
  archiveDays: setting(
    'DOSKA_ARCHIVE_DAYS',
    daysOrOff.default(180),
    'How long an offer is expired, sold or removed before it goes to the archive; `off` (or 0): never. At least DOSKA_BANNED_FEED_DAYS.',
  ),
  archiveBatch: setting(
    'DOSKA_ARCHIVE_BATCH',
    wholeNumber(1, 1_000).default(500),
    'Offers in a segment of the archive, at most.',
  ),
  archiveSegmentBytes: setting(
    'DOSKA_ARCHIVE_SEGMENT_BYTES',
    wholeNumber(64 << 10, 64 << 20).default(4 << 20),
    'Bytes of a segment, at most; an offer that is larger goes alone.',
  ),
  archiveEveryMs: setting(
    'DOSKA_ARCHIVE_EVERY_MS',
    wholeNumber(100, DAY_MS).default(60_000),
    'How often a shard is looked through for offers that the archive is due.',
  ),
  archiveReads: setting(
    'DOSKA_ARCHIVE_READS',
    wholeNumber(1, 100).default(8),
    'Archived offers that one call reads at the same time.',
  ),
  archiveSweepMs: setting(
    'DOSKA_ARCHIVE_SWEEP_MS',
    wholeNumber(1_000, 30 * DAY_MS).default(21_600_000),
    'How often the archive is looked through for segments that are nobody’s.',
  ),
  archiveGraceMs: setting(
    'DOSKA_ARCHIVE_GRACE_MS',
    wholeNumber(1_000, 30 * DAY_MS).default(DAY_MS),
    'How long a segment must have been nobody’s before it is deleted.',
  ),
};
