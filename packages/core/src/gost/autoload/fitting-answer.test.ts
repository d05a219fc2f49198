import { describe, expect, test } from 'vitest';
import type { FeedError } from './feed.ts';
import { fittingAnswer, FEED_ANSWER_BYTES_MAX } from './fitting-answer.ts';
import type { BatchAnswer } from './feed-message.ts';
import { feedMessageViolations, FEED_ENTRIES_MAX, FEED_IDS_BYTES_MAX } from './feed-message-rules.ts';
import { SHOWN_CHARS_MAX } from './entry-errors.ts';
import { feedBatch, feedEntry, sampleFeed } from '../testing/feed-samples.ts';

const error = (change: Partial<FeedError> = {}): FeedError => ({
  level: 'error',
  code: 'TooLong',
  path: 'title',
  message: 'm'.repeat(100),
  value: 'v'.repeat(100),
  line: 1,
  ...change,
});
const answer = (
  entries: readonly (readonly FeedError[])[],
  id = 'ext',
  title: string | undefined = undefined,
): BatchAnswer => ({
  ...sampleFeed(),
  kind: 'batch',
  task: 1,
  generation: 1,
  batch: 0,
  outcome: 'applied',
  entries: entries.map((errors, ordinal) => ({
    ordinal,
    externalId: `${id}${ordinal}`,
    offerId: undefined,
    verdict: 'rejected',
    errors,
    title,
  })),
});
const sizeOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

describe('the answer to a feed', () => {
  test('[X2] an answer that fits is not changed', () => {
    const small = answer([[error()], []]);
    expect(fittingAnswer(small)).toEqual(small);
  });
  test('[X2] later errors lose message and value, then they are counted', () => {
    const found = fittingAnswer(
      answer([[error(), error(), error(), error()]]),
      100 + 4 + 236 + 36,
    ) as BatchAnswer;
    expect(found.entries[0]!.errors).toEqual([
      error(),
      error({ message: '', value: undefined }),
      { level: 'error', code: 'MoreErrors', path: '', message: '2 more', value: undefined, line: undefined },
    ]);
  });
  test('[X2] a title that has no room any more is left out, the entry stays', () => {
    const titled = answer([[error()], [error()]], 'ext', 'Bicycle');
    const found = fittingAnswer(titled, 2 * (100 + 4) + 2 * 236 + 11) as BatchAnswer;
    expect(found.entries.map(({ title }) => title)).toEqual(['Bicycle', undefined]);
  });
  test('[X2] the largest legal batch with the most errors has an answer that fits', () => {
    const id = 'x'.repeat(Math.floor(FEED_IDS_BYTES_MAX / FEED_ENTRIES_MAX) - 6);
    const most = answer(
      Array.from({ length: FEED_ENTRIES_MAX }, () => Array<FeedError>(20).fill(error())),
      id,
      'ы'.repeat(SHOWN_CHARS_MAX),
    );
    expect(
      feedMessageViolations(
        feedBatch(
          1,
          0,
          most.entries.map(({ externalId }, n) => feedEntry(n, {}, { externalId })),
        ),
      ),
    ).toEqual([]);
    // JSON names every field again, so it is larger than the bytes of the protocol.
    const found = fittingAnswer(most) as BatchAnswer;
    const names = sizeOf({
      ...found,
      entries: found.entries.map((one) => ({ ...one, externalId: '', title: '', errors: [] })),
    });
    const words = found.entries.flatMap(({ externalId, title, errors }) => [
      externalId,
      title ?? '',
      ...errors.flatMap(({ code, path, message, value }) => [code, path, message, value ?? '']),
    ]);
    expect(new TextEncoder().encode(words.join('')).length).toBeLessThan(FEED_ANSWER_BYTES_MAX);
    expect(names).toBeGreaterThan(0);
    expect(found.entries).toHaveLength(FEED_ENTRIES_MAX);
  });
  test('[X2] an id that is too long to be stored is cut in the answer', () => {
    const found = fittingAnswer(answer([[error()]], 'y'.repeat(500_000))) as BatchAnswer;
    expect(found.entries[0]!.externalId.length).toBeLessThan(600);
  });
  test('[X1] [X2] a batch of too many entries, or of too many bytes of ids, is out of bounds', () => {
    const many = (count: number, externalId = 'e') =>
      feedMessageViolations(
        feedBatch(
          1,
          0,
          Array.from({ length: count }, (_, n) => feedEntry(n, {}, { externalId })),
        ),
      ).map(({ path, code }) => `${path} ${code}`);
    expect(many(FEED_ENTRIES_MAX)).toEqual([]);
    expect(many(FEED_ENTRIES_MAX + 1)).toEqual(['entries TooMany']);
    expect(many(256, 'x'.repeat(FEED_IDS_BYTES_MAX / 256))).toEqual([]);
    expect(many(256, 'x'.repeat(FEED_IDS_BYTES_MAX / 256 + 1))).toEqual(['entries TooLong']);
  });
});
