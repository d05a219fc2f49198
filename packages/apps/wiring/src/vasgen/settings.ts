import { setting, storeSetting, wholeNumber } from '@doska/app-composition';
import { clientName } from '@doska/core/vasgen';
import { z } from 'zod';

const DAY_MS = 86_400_000;
const clientList = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((names) => names.every((name) => clientName(name) !== undefined), {
    message: 'names of clients, separated by commas: small letters, digits and -, beginning with a letter',
  })
  .refine((names) => new Set(names).size === names.length, { message: 'every client once' });

export const vasgenSettings = {
  store: storeSetting('DOSKA_VASGEN_STORE', 'indexing'),
  clients: setting(
    'DOSKA_VASGEN_CLIENTS',
    clientList.default(['offers']),
    'The clients of indexing, separated by commas.',
  ),
  shards: setting(
    'DOSKA_VASGEN_SHARDS',
    wholeNumber(1, 1_024).default(16),
    'Shards of each queue of a client. The number is stored with the data and can not change.',
  ),
  documentBytesMax: setting(
    'DOSKA_VASGEN_DOCUMENT_BYTES_MAX',
    wholeNumber(1_024, 900_000).default(256 * 1024),
    'The largest document that is accepted, in bytes before compression.',
  ),
  clockAheadMs: setting(
    'DOSKA_VASGEN_CLOCK_AHEAD_MS',
    wholeNumber(0, DAY_MS).default(5 * 60_000),
    'How far ahead of the clock a document may be composed.',
  ),
  horizonMs: setting(
    'DOSKA_VASGEN_HORIZON_MS',
    wholeNumber(60_000, 3_650 * DAY_MS).default(30 * DAY_MS),
    'How long deletions of documents are remembered. It must be longer than topics keep unread records: `DOSKA_RETENTION_MS` times `DOSKA_UNREAD_FACTOR`.',
  ),
  bulkRate: setting(
    'DOSKA_VASGEN_BULK_RATE',
    wholeNumber(1, 1_000_000).default(2_000),
    'Documents per second and shard that re-indexing sends to the index.',
  ),
  emergencyRate: setting(
    'DOSKA_VASGEN_EMERGENCY_RATE',
    wholeNumber(1, 1_000_000).default(200),
    'Documents per second and shard that operators send again.',
  ),
  failedRate: setting(
    'DOSKA_VASGEN_FAILED_RATE',
    wholeNumber(1, 1_000_000).default(20),
    'Failed documents per second and shard that are tried again.',
  ),
  attemptsMax: setting(
    'DOSKA_VASGEN_ATTEMPTS_MAX',
    wholeNumber(1, 1_000).default(5),
    'Attempts to convert a document. Then it waits for an operator.',
  ),
  promotionWaitMs: setting(
    'DOSKA_VASGEN_PROMOTION_WAIT_MS',
    wholeNumber(0, 600_000).default(20_000),
    'How long the promotion of an epoch waits until queues and searchers have caught up.',
  ),
  searcherLiveMs: setting(
    'DOSKA_VASGEN_SEARCHER_LIVE_MS',
    wholeNumber(1_000, DAY_MS).default(30_000),
    'A searcher that has not reported itself for so long does not hold a promotion back.',
  ),
  archiveLingerMs: setting(
    'DOSKA_VASGEN_ARCHIVE_LINGER_MS',
    wholeNumber(0, DAY_MS).default(60_000),
    'How long records of an index topic wait for others before they are written to the archive as one segment.',
  ),
  archiveSegmentRecords: setting(
    'DOSKA_VASGEN_ARCHIVE_SEGMENT_RECORDS',
    wholeNumber(1, 100_000).default(5_000),
    'Records of a segment of the archive at most.',
  ),
  archiveScrubMs: setting(
    'DOSKA_VASGEN_ARCHIVE_SCRUB_MS',
    wholeNumber(100, 7 * DAY_MS).default(3_600_000),
    'How often documents that were erased are taken out of the archive.',
  ),
  engineDir: setting(
    'DOSKA_VASGEN_ENGINE_DIR',
    z.string().min(1).optional(),
    'The folder of the embedded search engine. Every searcher needs a folder of its own.',
    { otherwise: '`engine` in DOSKA_DATA_DIR' },
  ),
  engineHeapMb: setting(
    'DOSKA_VASGEN_ENGINE_HEAP_MB',
    wholeNumber(64, 1 << 20).default(4_096),
    'The JavaScript heap of the search engine, in MB.',
  ),
  snapshotChanges: setting(
    'DOSKA_VASGEN_SNAPSHOT_CHANGES',
    wholeNumber(100, 100_000_000).default(100_000),
    'Changes of an index after which it is written to the disk.',
  ),
  queryMs: setting(
    'DOSKA_VASGEN_QUERY_MS',
    wholeNumber(1, 60_000).default(1_000),
    'The longest time of one query. Then the answer says that it was cut.',
  ),
};
