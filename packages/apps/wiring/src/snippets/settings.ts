import { setting, storeSetting, wholeNumber } from '@doska/app-composition';
import { z } from 'zod';

const DAY_MS = 86_400_000;
const PATH = /^\/([A-Za-z0-9._~-]+(\/[A-Za-z0-9._~-]+)*)?$/;

export const snippetsSettings = {
  store: storeSetting('DOSKA_SNIPPETS_STORE', 'snippets'),
  path: setting(
    'DOSKA_SNIPPETS_PATH',
    z.string().regex(PATH, 'a path like / or /snippets is expected').default('/'),
    'The path that the names of sections stand below. At `/` a section must not begin with a path of the platform.',
  ),
  config: setting(
    'DOSKA_SNIPPETS_CONFIG',
    z.string().min(1).optional(),
    'The configuration of sections, a file in protobuf’s text format.',
    { otherwise: 'the sample configuration in the embedded profile, else no sections' },
  ),
  prefixes: setting(
    'DOSKA_SNIPPETS_PREFIXES',
    z.string().min(1).optional(),
    'The file with the key prefix of each section.',
    { otherwise: '`key_prefixes.txt` next to the configuration' },
  ),
  schemas: setting(
    'DOSKA_SNIPPETS_SCHEMAS',
    z.string().min(1).optional(),
    'The folder with the JSON schemas that sections name.',
    { otherwise: 'the folder `schemas` next to the configuration, if there is one' },
  ),
  modules: setting(
    'DOSKA_SNIPPETS_MODULES',
    z.string().optional(),
    'Modules with validators, convertors and key extractors, separated by commas: files or names of packages.',
    { otherwise: 'only the built-in ones' },
  ),
  descriptors: setting(
    'DOSKA_SNIPPETS_DESCRIPTORS',
    z.string().min(1).optional(),
    'A file with a protobuf descriptor set. Each of its messages is a convertor `message:<full name>`.',
    { otherwise: 'no such convertors' },
  ),
  services: setting(
    'DOSKA_SNIPPETS_SERVICES',
    z.string().min(1).default('snippets'),
    'The names that the option Service may have, separated by commas.',
  ),
  contentBytesMax: setting(
    'DOSKA_SNIPPETS_CONTENT_BYTES_MAX',
    wholeNumber(1, 900_000).default(256 * 1024),
    'The largest content of a request and of a stored snippet, in bytes.',
  ),
  keyBytesMax: setting(
    'DOSKA_SNIPPETS_KEY_BYTES_MAX',
    wholeNumber(1, 1_024).default(512),
    'The longest key, in bytes of UTF-8.',
  ),
  commitBytesMax: setting(
    'DOSKA_SNIPPETS_COMMIT_BYTES_MAX',
    wholeNumber(1_024, 1_000_000).default(1_000_000),
    'The largest write of a group, in bytes of all its contents and 1,200 for each of them.',
  ),
  jsonDepthMax: setting(
    'DOSKA_SNIPPETS_JSON_DEPTH_MAX',
    wholeNumber(1, 1_000).default(200),
    'The deepest nesting of JSON.',
  ),
  answerBytesMax: setting(
    'DOSKA_SNIPPETS_ANSWER_BYTES_MAX',
    wholeNumber(1_024, 4_000_000).default(4_000_000),
    'The largest answer of MultiGet, in bytes of all its contents.',
  ),
  tombstoneMs: setting(
    'DOSKA_SNIPPETS_TOMBSTONE_MS',
    wholeNumber(1_000, 3_650 * DAY_MS).default(30 * DAY_MS),
    'How long the version of a deleted or expired snippet is kept. At least as long as topics keep their records.',
  ),
  purgeEveryMs: setting(
    'DOSKA_SNIPPETS_PURGE_EVERY_MS',
    wholeNumber(100, 3_600_000).default(60_000),
    'How often expired snippets and old tombstones are removed.',
  ),
  retryMs: setting(
    'DOSKA_SNIPPETS_RETRY_MS',
    wholeNumber(1, 3_600_000).default(5_000),
    'The least time between two attempts to store a record of a topic.',
  ),
  retriesWaitingMax: setting(
    'DOSKA_SNIPPETS_RETRIES_WAITING_MAX',
    wholeNumber(0, 100_000_000).default(10_000),
    'Topics are not read while more of their records wait for another attempt.',
  ),
  waitingMax: setting(
    'DOSKA_SNIPPETS_WAITING_MAX',
    wholeNumber(1, 1_000_000).default(10_000),
    'Requests that may wait for the store. More are refused with 503.',
  ),
  bulkAtOnce: setting(
    'DOSKA_SNIPPETS_BULK_AT_ONCE',
    wholeNumber(1, 1_000).default(64),
    'Lines of a bulk upload that are worked on at once.',
  ),
  bulkBytesMax: setting(
    'DOSKA_SNIPPETS_BULK_BYTES_MAX',
    wholeNumber(1, 1e12).default(1_000_000_000),
    'The largest body of a bulk upload, in bytes.',
  ),
  bulkMs: setting(
    'DOSKA_SNIPPETS_BULK_MS',
    wholeNumber(1_000, 86_400_000).default(3_600_000),
    'The longest time of a bulk upload.',
  ),
  reloadMs: setting(
    'DOSKA_SNIPPETS_RELOAD_MS',
    wholeNumber(0, 3_600_000).default(5_000),
    'How often a process looks whether the configuration or the prefixes have changed, and takes them over. 0: never.',
  ),
  ratePerMinute: setting(
    'DOSKA_SNIPPETS_RATE_PER_MINUTE',
    wholeNumber(0, 10_000_000).default(6_000),
    'Reads without a token per minute per IP. 0 requires a token.',
  ),
};
