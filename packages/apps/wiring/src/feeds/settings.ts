import { setting, wholeNumber } from '@doska/app-composition';

const DAY_MS = 86_400_000;
const GB = 2 ** 30;

export const feedsSettings = {
  fileBytesMax: setting(
    'DOSKA_FEEDS_FILE_BYTES_MAX',
    wholeNumber(1_024, 64 * GB).default(GB),
    'The largest feed file, in bytes.',
  ),
  decodedBytesMax: setting(
    'DOSKA_FEEDS_DECODED_BYTES_MAX',
    wholeNumber(1_024, 512 * GB).default(8 * GB),
    'The largest feed file after decompression, in bytes.',
  ),
  downloadMsMax: setting(
    'DOSKA_FEEDS_DOWNLOAD_MS_MAX',
    wholeNumber(1_000, DAY_MS).default(3_600_000),
    'The longest time of one download, upload or export of a feed file, and of watching a load.',
  ),
  downloads: setting(
    'DOSKA_FEEDS_DOWNLOADS',
    wholeNumber(1, 1_000).default(8),
    'Downloads of feed files at the same time per process.',
  ),
  downloadsPerHost: setting(
    'DOSKA_FEEDS_DOWNLOADS_PER_HOST',
    wholeNumber(1, 100).default(2),
    'Downloads of feed files from one host at the same time per process.',
  ),
  runs: setting(
    'DOSKA_FEEDS_RUNS',
    wholeNumber(1, 100).default(2),
    'Loads that are processed at the same time per process.',
  ),
  lockMs: setting(
    'DOSKA_FEEDS_LOCK_MS',
    wholeNumber(1_000, DAY_MS).default(600_000),
    'A lock on a feed that was not renewed for this time is freed. The process that held it can write nothing any more.',
  ),
  renewMs: setting(
    'DOSKA_FEEDS_RENEW_MS',
    wholeNumber(100, 3_600_000).default(15_000),
    'How often a run renews its lock and reports its progress.',
  ),
  pollMs: setting(
    'DOSKA_FEEDS_POLL_MS',
    wholeNumber(10, 600_000).default(1_000),
    'How often a worker without work looks for work.',
  ),
  attempts: setting(
    'DOSKA_FEEDS_ATTEMPTS',
    wholeNumber(0, 1_000).default(10),
    'Failed runs after which a load is given up.',
  ),
  retryMs: setting(
    'DOSKA_FEEDS_RETRY_MS',
    wholeNumber(100, 3_600_000).default(60_000),
    'The pause after the first failed run of a load. It doubles with each further one, up to an hour.',
  ),
  unusedMs: setting(
    'DOSKA_FEEDS_UNUSED_MS',
    wholeNumber(60_000, 30 * DAY_MS).default(21_600_000),
    'A stored file that no load has taken for this time is deleted.',
  ),
  settleMs: setting(
    'DOSKA_FEEDS_SETTLE_MS',
    wholeNumber(1_000, DAY_MS).default(300_000),
    'A file is deleted in two steps with this pause between them. It must be longer than a process may be paused while it stores a file.',
  ),
  answerMs: setting(
    'DOSKA_FEEDS_ANSWER_MS',
    wholeNumber(1_000, 30 * DAY_MS).default(21_600_000),
    'A load without the last answer of the offer store for this time is sent again.',
  ),
  errorsMax: setting(
    'DOSKA_FEEDS_ERRORS_MAX',
    wholeNumber(0, 100_000_000).default(100_000),
    'Errors of one load that are stored. More are only counted.',
  ),
  offersMax: setting(
    'DOSKA_FEEDS_OFFERS_MAX',
    wholeNumber(1, 1_000_000_000).default(10_000_000),
    'Offers in one file.',
  ),
  ratioMax: setting(
    'DOSKA_FEEDS_RATIO_MAX',
    wholeNumber(2, 100_000).default(200),
    'How many times larger a packed feed file may become. The first 16 MB are not counted.',
  ),
  depthMax: setting(
    'DOSKA_FEEDS_DEPTH_MAX',
    wholeNumber(5, 1_000).default(16),
    'Elements of a feed file inside each other.',
  ),
  nameCharsMax: setting(
    'DOSKA_FEEDS_NAME_CHARS_MAX',
    wholeNumber(20, 100_000).default(200),
    'The longest name of an element of a feed file, in characters.',
  ),
  attributesMax: setting(
    'DOSKA_FEEDS_ATTRIBUTES_MAX',
    wholeNumber(5, 10_000).default(20),
    'Attributes of one element of a feed file.',
  ),
  attributeCharsMax: setting(
    'DOSKA_FEEDS_ATTRIBUTE_CHARS_MAX',
    wholeNumber(100, 1_000_000).default(2_000),
    'The longest attribute of an element of a feed file, in characters.',
  ),
  textCharsMax: setting(
    'DOSKA_FEEDS_TEXT_CHARS_MAX',
    wholeNumber(1_000, 1_000_000).default(100_000),
    'The longest text of an element of a feed file, in characters. A longer one is cut and is an error of its offer.',
  ),
  runMsMax: setting(
    'DOSKA_FEEDS_RUN_MS_MAX',
    wholeNumber(1_000, 20 * DAY_MS).default(43_200_000),
    'The longest time of one run of a load. A run that takes longer is a failed attempt.',
  ),
  surenessPercent: setting(
    'DOSKA_FEEDS_SURENESS_PERCENT',
    wholeNumber(1, 100).default(60),
    'How sure the recognition must be to take a category from the words of an offer. Below it the offer gets an error with the candidates.',
  ),
  keepProcessed: setting(
    'DOSKA_FEEDS_KEEP_PROCESSED',
    wholeNumber(1, 1_000).default(10),
    'Processed loads of a feed that are kept.',
  ),
  keepOthers: setting(
    'DOSKA_FEEDS_KEEP_OTHERS',
    wholeNumber(1, 1_000).default(20),
    'Failed loads and removals of a feed that are kept.',
  ),
  reprocessMs: setting(
    'DOSKA_FEEDS_REPROCESS_MS',
    wholeNumber(60_000, 365 * DAY_MS).default(7 * DAY_MS),
    'A link with unchanged content is processed again after this time.',
  ),
};
