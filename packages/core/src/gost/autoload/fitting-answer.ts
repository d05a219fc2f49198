import { utf8Bytes } from '../../kernel/index.ts';
import { FIELD_BOUNDS } from '../offer/field-rules.ts';
import type { FeedError } from './feed.ts';
import type { EntryAnswer, FeedAnswer } from './feed-message.ts';

/** An answer to a feed is not larger than this before compression, so every topic can hold it. */
export const FEED_ANSWER_BYTES_MAX = 512 * 1024;
/** What an entry takes without its id and its errors, and what the count of left out errors takes. */
const ENTRY_BYTES = 100;
const ERROR_BYTES = 24;
const TITLE_BYTES = 4;
const CODE_CHARS_MAX = 100;

const bytesOf = ({ code, path, message, value = '' }: FeedError): number =>
  ERROR_BYTES + utf8Bytes(code) + utf8Bytes(path) + utf8Bytes(message) + utf8Bytes(value);
const withoutWords = (error: FeedError): FeedError => ({
  ...error,
  code: error.code.slice(0, CODE_CHARS_MAX),
  path: error.path.slice(0, CODE_CHARS_MAX),
  message: '',
  value: undefined,
});
const leftOut = (count: number): FeedError => ({
  level: 'error',
  code: 'MoreErrors',
  path: '',
  message: `${count} more`,
  value: undefined,
  line: undefined,
});

/**
 * The answer within `bytesMax`. Errors and titles keep their words while there is room. Later ones lose message and value; after these,
 * errors are only counted. An id that is too long to be stored is cut.
 */
export const fittingAnswer = (answer: FeedAnswer, bytesMax: number = FEED_ANSWER_BYTES_MAX): FeedAnswer => {
  if (answer.kind === 'terminal') return answer;
  const ids = answer.entries.map(({ externalId }) => externalId.slice(0, FIELD_BOUNDS.externalIdChars * 2));
  let room = bytesMax - ids.reduce((sum, id) => sum + ENTRY_BYTES + utf8Bytes(id), 0);
  const hasRoom = (bytes: number): boolean => {
    if (bytes > room) return false;
    room -= bytes;
    return true;
  };
  const fits = (error: FeedError): boolean => hasRoom(bytesOf(error));
  const entries = answer.entries.map((entry, n): EntryAnswer => {
    const errors: FeedError[] = [];
    for (const error of entry.errors) {
      const short = withoutWords(error);
      if (fits(error)) errors.push(error);
      else if (fits(short)) errors.push(short);
    }
    const { title } = entry;
    const missing = entry.errors.length - errors.length;
    return {
      ...entry,
      title: title !== undefined && hasRoom(TITLE_BYTES + utf8Bytes(title)) ? title : undefined,
      externalId: ids[n] ?? '',
      errors: missing > 0 ? [...errors, leftOut(missing)] : errors,
    };
  });
  return { ...answer, entries };
};
