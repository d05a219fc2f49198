import { describe, expect, test } from 'vitest';
import { FIELD_BOUNDS } from '../offer/field-rules.ts';
import { feedEntry } from '../testing/feed-samples.ts';
import type { FeedError } from './feed.ts';
import type { FeedEntry } from './feed-message.ts';
import { feedDetailViolations } from './feed-message-rules.ts';

const error = (change: Partial<FeedError> = {}): FeedError => ({
  level: 'warning',
  code: 'code',
  path: 'path',
  message: 'message',
  value: undefined,
  line: undefined,
  ...change,
});
const geo = { geoId: 'kazan', district: undefined, metro: [] };
const found = (change: Partial<FeedEntry>): string[] =>
  feedDetailViolations(feedEntry(1, {}, change)).map(({ path, code }) => `${path} ${code}`);

describe('what a feed processor says beside the content of an entry', () => {
  const {
    feedErrors,
    feedErrorCodeChars,
    feedErrorPathChars,
    feedErrorTextChars,
    geoIdChars,
    metroStations,
  } = FIELD_BOUNDS;
  test.each<[keyof FeedError, number]>([
    ['code', feedErrorCodeChars],
    ['path', feedErrorPathChars],
    ['message', feedErrorTextChars],
    ['value', feedErrorTextChars],
  ])('[X1] the %s of an error has at most %i characters', (field, max) => {
    expect(found({ errors: [error({ [field]: 'ы'.repeat(max) })] })).toEqual([]);
    expect(found({ errors: [error(), error({ [field]: 'ы'.repeat(max + 1) })] })).toEqual([
      `errors[1].${field} TooLong`,
    ]);
  });
  test('[X1] an entry has a bounded number of errors', () => {
    const errors = Array<FeedError>(feedErrors).fill(error());
    expect(found({ errors })).toEqual([]);
    expect(found({ errors: [...errors, error()] })).toEqual(['errors TooMany']);
  });
  test('[X1] the place of an entry is bounded in every field', () => {
    const long = 'x'.repeat(geoIdChars + 1);
    const stations = Array<string>(metroStations).fill('x'.repeat(geoIdChars));
    expect(found({ geo: { ...geo, metro: stations } })).toEqual([]);
    expect(found({ geo: { ...geo, metro: [...stations, 'one more'] } })).toEqual(['geo.metro TooMany']);
    expect(found({ geo: { geoId: long, district: long, metro: ['good', long] } })).toEqual([
      'geo.geo_id TooLong',
      'geo.district TooLong',
      'geo.metro[1] TooLong',
    ]);
    expect(found({ geo: { geoId: 'a\u0000', district: '', metro: [''] } })).toEqual([
      'geo.geo_id ControlCharacter',
      'geo.metro[0] Missing',
    ]);
  });
});
