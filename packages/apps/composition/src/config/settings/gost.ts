import { z } from 'zod';
import { setting, wholeNumber } from '../setting.ts';

export const gostSettings = {
  offerDays: setting(
    'DOSKA_OFFER_DAYS',
    wholeNumber(1, 3_650).default(30),
    'How long an offer is active before it expires.',
  ),
  offerBytesMax: setting(
    'DOSKA_OFFER_BYTES_MAX',
    wholeNumber(1_024, 102_400).default(102_400),
    'The largest offer.',
  ),
  titleCharsMax: setting(
    'DOSKA_TITLE_CHARS_MAX',
    wholeNumber(10, 1_000).default(120),
    'The longest title of an offer.',
  ),
  descriptionCharsMax: setting(
    'DOSKA_DESCRIPTION_CHARS_MAX',
    wholeNumber(100, 50_000).default(20_000),
    'The longest description of an offer.',
  ),
  photosMax: setting('DOSKA_PHOTOS_MAX', wholeNumber(0, 100).default(30), 'Photos of an offer.'),
  currencies: setting(
    'DOSKA_CURRENCIES',
    z
      .string()
      .regex(/^[A-Z]{3}(,[A-Z]{3})*$/, 'ISO 4217 codes with commas between them')
      .default('RUB,USD,EUR,KZT,BYN'),
    'The currencies of prices.',
  ),
  anonymousDraftDays: setting(
    'DOSKA_ANONYMOUS_DRAFT_DAYS',
    wholeNumber(1, 3_650).default(30),
    "How long a visitor's draft waits for him; so long his token lives too.",
  ),
  publishedDraftDays: setting(
    'DOSKA_PUBLISHED_DRAFT_DAYS',
    wholeNumber(1, 3_650).default(7),
    'How long a repeated publish of a draft is answered with its offer.',
  ),
  sessionsPerMinute: setting(
    'DOSKA_SESSIONS_RATE',
    wholeNumber(1, 1_000_000).default(60),
    'Visitors a minute and address that get an anonymous session.',
  ),
  exportShards: setting(
    'DOSKA_EXPORT_SHARDS',
    wholeNumber(1, 1_024).default(16),
    'Shards of the export queue. Settled for ever by the first start.',
  ),
  exportBatch: setting(
    'DOSKA_EXPORT_BATCH',
    wholeNumber(1, 1_000).default(500),
    'Changes that are published at once, a shard.',
  ),
  exportReadAhead: setting(
    'DOSKA_EXPORT_READ_AHEAD',
    wholeNumber(1, 20).default(4),
    'Batches that one look at the export queue may bring, 8 MB at most.',
  ),
  commitLingerMs: setting(
    'DOSKA_COMMIT_LINGER_MS',
    wholeNumber(0, 100).default(2),
    'How long a change of an offer waits for others to be committed with it.',
  ),
  commitGroups: setting(
    'DOSKA_COMMIT_GROUPS',
    wholeNumber(1, 64).default(2),
    'Groups of changes that are committed at the same time, a process.',
  ),
  offerMemoryMb: setting(
    'DOSKA_OFFER_MEMORY_MB',
    wholeNumber(0, 65_536).default(128),
    'Memory for offers that were used lately, a process. They are checked with the store, not read again.',
  ),
  scanRate: setting(
    'DOSKA_SCAN_RATE',
    wholeNumber(1, 10_000_000).default(20_000),
    'Offers a second that one scan may read.',
  ),
  stageBytesMax: setting(
    'DOSKA_STAGE_BYTES_MAX',
    wholeNumber(1, 256 * 1024).default(64 * 1024),
    'The most that an external stage may keep of one offer.',
  ),
  expireEveryMs: setting(
    'DOSKA_EXPIRE_EVERY_MS',
    wholeNumber(100, 3_600_000).default(5_000),
    'How often a shard is looked through for offers that have run out.',
  ),
  auditEveryMs: setting(
    'DOSKA_AUDIT_EVERY_MS',
    wholeNumber(1_000, 86_400_000).default(60_000),
    'How often counts of sellers are counted anew.',
  ),
  auditLists: setting(
    'DOSKA_AUDIT_LISTS',
    wholeNumber(1, 1_000).default(100),
    'Lists that an audit looks at each time.',
  ),
  feedGuardShare: setting(
    'DOSKA_FEED_GUARD_PERCENT',
    wholeNumber(1, 100).default(50),
    'A load that drops more percent of a feed’s offers is held until somebody forces it.',
  ),
  feedGuardOffers: setting(
    'DOSKA_FEED_GUARD_OFFERS',
    wholeNumber(0, 1_000_000).default(20),
    'Fewer offers than this a load may always drop.',
  ),
  bannedFeedDays: setting(
    'DOSKA_BANNED_FEED_DAYS',
    wholeNumber(1, 3_650).default(90),
    'How long a banned offer that its feed dropped gets its id back when it returns.',
  ),
  placesFile: setting(
    'DOSKA_PLACES_FILE',
    z.string().min(1).optional(),
    'A file of cities that the geocoder knows; by default the one that comes along.',
  ),
};
