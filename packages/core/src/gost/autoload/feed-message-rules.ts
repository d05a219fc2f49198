import { isLongerThan, utf8Bytes, wholeNumberViolations, type Violation } from '../../kernel/index.ts';
import {
  externalIdViolations,
  feedNumberViolations,
  FIELD_BOUNDS,
  geoIdViolations,
  namespaceViolations,
  sellerIdViolations,
} from '../offer/field-rules.ts';
import type { Geo } from '../offer/offer.ts';
import type { FeedError } from './feed.ts';
import type { FeedEntry, FeedMessage } from './feed-message.ts';

/** Entries of one batch, and the bytes of all their external ids: the answer repeats each id. */
export const FEED_ENTRIES_MAX = 2_000;
export const FEED_IDS_BYTES_MAX = 256 * 1024;

const numbersOf = (message: FeedMessage): Readonly<Record<string, number>> =>
  message.kind === 'batch' ? { batch: message.batch } : { batches: message.batches, offers: message.offers };

/** What no store can keep of a message as a whole. Such a message has no feed that could be answered. */
export const feedMessageViolations = (message: FeedMessage): readonly Violation[] => [
  ...sellerIdViolations(message.seller, 'load.seller_id'),
  ...namespaceViolations(message.namespace, 'load.namespace'),
  ...feedNumberViolations(message.task, 'load.task'),
  ...feedNumberViolations(message.generation, 'load.generation'),
  ...Object.entries(numbersOf(message)).flatMap(([path, number]) => feedNumberViolations(number, path)),
  ...(message.kind === 'batch' ? entriesViolations(message.entries) : []),
];
const entriesViolations = (entries: readonly FeedEntry[]): readonly Violation[] => {
  if (entries.length > FEED_ENTRIES_MAX)
    return [{ path: 'entries', code: 'TooMany', message: `at most ${FEED_ENTRIES_MAX}` }];
  const idBytes = entries.reduce((sum, { externalId }) => sum + utf8Bytes(externalId), 0);
  return idBytes > FEED_IDS_BYTES_MAX
    ? [{ path: 'entries', code: 'TooLong', message: `at most ${FEED_IDS_BYTES_MAX} bytes of external ids` }]
    : [];
};

/** What makes an entry impossible to find again: it is rejected and leaves no trace. */
export const feedEntryViolations = ({ externalId, ordinal }: FeedEntry): readonly Violation[] => [
  ...externalIdViolations(externalId),
  ...wholeNumberViolations('ordinal', ordinal),
];

const tooMany = (path: string, max: number): Violation => ({
  path,
  code: 'TooMany',
  message: `at most ${max}`,
});
const geoViolations = ({ geoId, district, metro }: Geo): readonly Violation[] => [
  ...(geoId ? geoIdViolations(geoId, 'geo.geo_id') : []),
  ...(district ? geoIdViolations(district, 'geo.district') : []),
  ...(metro.length > FIELD_BOUNDS.metroStations ? [tooMany('geo.metro', FIELD_BOUNDS.metroStations)] : []),
  ...metro
    .slice(0, FIELD_BOUNDS.metroStations)
    .flatMap((station, n) => geoIdViolations(station, `geo.metro[${n}]`)),
];
const errorViolations = ({ code, path, message, value = '' }: FeedError, n: number): readonly Violation[] => {
  const { feedErrorCodeChars, feedErrorPathChars, feedErrorTextChars } = FIELD_BOUNDS;
  const bounds = [
    ['code', code, feedErrorCodeChars],
    ['path', path, feedErrorPathChars],
    ['message', message, feedErrorTextChars],
    ['value', value, feedErrorTextChars],
  ] as const;
  return bounds.flatMap(([field, text, charsMax]) =>
    isLongerThan(text, charsMax)
      ? [{ path: `errors[${n}].${field}`, code: 'TooLong', message: `at most ${charsMax} characters` }]
      : [],
  );
};
/**
 * What is out of bounds in an entry beside its content: it is rejected, but it counts as seen, so its offer stays. The
 * bounds of its content are checked with the content.
 */
export const feedDetailViolations = ({ geo, errors }: FeedEntry): readonly Violation[] => [
  ...(geo ? geoViolations(geo) : []),
  ...(errors.length > FIELD_BOUNDS.feedErrors ? [tooMany('errors', FIELD_BOUNDS.feedErrors)] : []),
  ...errors.slice(0, FIELD_BOUNDS.feedErrors).flatMap(errorViolations),
];
