import { setting, storeSetting, wholeNumber } from '@doska/app-composition';
import { z } from 'zod';
import { archiveSettings } from './archive-settings.ts';

export const gostSettings = {
  store: storeSetting('DOSKA_GOST_STORE', 'offers'),
  offerDays: setting(
    'DOSKA_GOST_OFFER_DAYS',
    wholeNumber(1, 3_650).default(30),
    'Days after which an active offer expires.',
  ),
  offerBytesMax: setting(
    'DOSKA_GOST_OFFER_BYTES_MAX',
    wholeNumber(1_024, 102_400).default(102_400),
    'The largest offer, in bytes.',
  ),
  titleCharsMax: setting(
    'DOSKA_GOST_TITLE_CHARS_MAX',
    wholeNumber(10, 1_000).default(120),
    'The longest title of an offer.',
  ),
  descriptionCharsMax: setting(
    'DOSKA_GOST_DESCRIPTION_CHARS_MAX',
    wholeNumber(100, 50_000).default(20_000),
    'The longest description of an offer.',
  ),
  photosMax: setting(
    'DOSKA_GOST_PHOTOS_MAX',
    wholeNumber(0, 100).default(30),
    'The most photos of an offer.',
  ),
  currencies: setting(
    'DOSKA_GOST_CURRENCIES',
    z
      .string()
      .regex(/^[A-Z]{3}(,[A-Z]{3})*$/, 'ISO 4217 codes with commas between them')
      .default('RUB,USD,EUR,KZT,BYN'),
    'The currencies that a price may have.',
  ),
  anonymousDraftDays: setting(
    'DOSKA_GOST_ANONYMOUS_DRAFT_DAYS',
    wholeNumber(1, 3_650).default(30),
    'How long the draft and the token of an anonymous visitor are valid, in days.',
  ),
  publishedDraftDays: setting(
    'DOSKA_GOST_PUBLISHED_DRAFT_DAYS',
    wholeNumber(1, 3_650).default(7),
    'How long publishing the same draft again returns its offer, in days.',
  ),
  sessionsPerMinute: setting(
    'DOSKA_GOST_SESSIONS_PER_MINUTE',
    wholeNumber(1, 1_000_000).default(60),
    'Anonymous sessions per minute per IP.',
  ),
  publicPerMinute: setting(
    'DOSKA_GOST_PUBLIC_PER_MINUTE',
    wholeNumber(1, 1_000_000).default(600),
    'Offers that buyers may open per minute per IP.',
  ),
  contactsPerMinute: setting(
    'DOSKA_GOST_CONTACTS_PER_MINUTE',
    wholeNumber(1, 1_000_000).default(30),
    'Contacts that buyers may see per minute per IP.',
  ),
  exportShards: setting(
    'DOSKA_GOST_EXPORT_SHARDS',
    wholeNumber(1, 1_024).default(16),
    'Shards of the export queue. The first start fixes the number; a start with another one is refused.',
  ),
  exportBatch: setting(
    'DOSKA_GOST_EXPORT_BATCH',
    wholeNumber(1, 1_000).default(500),
    'The most changes that a shard publishes in one batch.',
  ),
  exportReadAhead: setting(
    'DOSKA_GOST_EXPORT_READ_AHEAD',
    wholeNumber(1, 20).default(4),
    'Batches that one read of the export queue may return, 8 MB at most.',
  ),
  commitLingerMs: setting(
    'DOSKA_GOST_COMMIT_LINGER_MS',
    wholeNumber(0, 100).default(2),
    'How long a change waits for other changes to commit with it in one transaction.',
  ),
  commitGroups: setting(
    'DOSKA_GOST_COMMIT_GROUPS',
    wholeNumber(1, 64).default(2),
    'Groups of changes that commit at the same time per process.',
  ),
  offerMemoryMb: setting(
    'DOSKA_GOST_OFFER_MEMORY_MB',
    wholeNumber(0, 65_536).default(128),
    'The cache of recently used offers per process, in MB. The store is still asked whether a cached offer is current.',
  ),
  scanRate: setting(
    'DOSKA_GOST_SCAN_RATE',
    wholeNumber(1, 10_000_000).default(20_000),
    'Offers per second that one scan may read.',
  ),
  scanReads: setting(
    'DOSKA_GOST_SCAN_READS',
    wholeNumber(1, 1_000).default(2),
    'Reads of the store that all scans of a process make at the same time. Keep it below DOSKA_DATABASE_POOL.',
  ),
  stageBytesMax: setting(
    'DOSKA_GOST_STAGE_BYTES_MAX',
    wholeNumber(1, 256 * 1024).default(64 * 1024),
    'The most bytes that an external stage may store per offer.',
  ),
  expireEveryMs: setting(
    'DOSKA_GOST_EXPIRE_EVERY_MS',
    wholeNumber(100, 3_600_000).default(5_000),
    'How often a shard is searched for offers to expire.',
  ),
  auditEveryMs: setting(
    'DOSKA_GOST_AUDIT_EVERY_MS',
    wholeNumber(1_000, 86_400_000).default(60_000),
    'How often the audit recounts offers of some sellers.',
  ),
  auditLists: setting(
    'DOSKA_GOST_AUDIT_LISTS',
    wholeNumber(1, 1_000).default(100),
    'Lists that each audit recounts.',
  ),
  feedGuardPercent: setting(
    'DOSKA_GOST_FEED_GUARD_PERCENT',
    wholeNumber(1, 100).default(50),
    'A feed load that would remove more than this percentage of the offers is held until it is sent again with `force`.',
  ),
  feedGuardOffers: setting(
    'DOSKA_GOST_FEED_GUARD_OFFERS',
    wholeNumber(0, 1_000_000).default(20),
    'A feed load may always remove fewer offers than this.',
  ),
  bannedFeedDays: setting(
    'DOSKA_GOST_BANNED_FEED_DAYS',
    wholeNumber(1, 3_650).default(90),
    'Days in which a banned offer that left its feed gets its old id if it returns.',
  ),
  placesFile: setting(
    'DOSKA_GOST_PLACES_FILE',
    z.string().min(1).optional(),
    'A file with the cities that the geocoder knows.',
    { otherwise: 'the file of `adapters-files`' },
  ),
  ...archiveSettings,
};
