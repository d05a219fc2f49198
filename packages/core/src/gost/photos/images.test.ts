import { describe, expect, test } from 'vitest';
import { alteration, publication } from '../testing/gost-stores.ts';
import { sampleContent } from '../testing/samples.ts';

const url = (n: number): string => `https://photos.test/${n}.jpg`;
const withPhotos = (...numbers: readonly number[]) => sampleContent({ photos: numbers.map(url) });
const published = (...numbers: readonly number[]) =>
  publication(1, { content: { photos: numbers.map(url) } }).offer;

describe('what an offer asks of the photo service', () => {
  test('[G9] a publication asks for all of its pictures', () => {
    expect(publication(1, { content: { photos: [url(1), url(2)] } }).messages).toEqual([
      { kind: 'photo-request', urls: [url(1), url(2)], released: [] },
    ]);
    expect(publication(1).messages).toEqual([]);
  });
  test.each([
    ['another picture', [1, 2], [1, 3], [3], [2]],
    ['one more', [1], [1, 2], [2], []],
    ['one less', [1, 2], [1], [], [2]],
    ['none any more', [1, 2], [], [], [1, 2]],
  ])(
    '[G9] an edit to %s asks for what is new and lets go of what is gone',
    (_name, before, after, asked, gone) => {
      expect(
        alteration(published(...before), { kind: 'edit', content: withPhotos(...after) }).messages,
      ).toEqual([{ kind: 'photo-request', urls: asked.map(url), released: gone.map(url) }]);
    },
  );
  test.each([
    ['the same pictures in another order', { kind: 'edit', content: withPhotos(2, 1) }],
    ['a removed offer keeps its pictures: it may come back', { kind: 'remove' }],
    ['a sold one too', { kind: 'sell', onPlatform: true }],
    ['a hidden one too', { kind: 'hide' }],
  ] as const)('[G9] %s', (_name, command) => {
    expect(alteration(published(1, 2), command).messages).toEqual([]);
  });
});

describe('what a feed is told of pictures that could not be had', () => {
  const source = { namespace: 'main', externalId: 'ext-1' };
  const failed = (n: number, reason = 'gone') =>
    ({ url: url(n), outcome: { kind: 'failed', reason } }) as const;
  const ready = (n: number) =>
    ({ url: url(n), outcome: { kind: 'ready', imageId: 'i'.repeat(64), width: 1, height: 1 } }) as const;
  const ofFeed = (...images: readonly ReturnType<typeof failed>[]) => ({
    ...published(1, 2),
    source,
    images,
  });
  const told = (offer: ReturnType<typeof ofFeed>, command: Parameters<typeof alteration>[1]) =>
    alteration(offer, command).messages.flatMap((message) =>
      message.kind === 'photo-errors'
        ? [message.errors.map((error) => `${error.url.at(-5)} ${error.reason}`)]
        : [],
    );
  test.each([
    ['a first failure', ofFeed(), { kind: 'photos', photos: [failed(1)] }, [['1 gone']]],
    [
      'a second failure beside the first',
      ofFeed(failed(1)),
      { kind: 'photos', photos: [failed(2)] },
      [['1 gone', '2 gone']],
    ],
    ['another reason', ofFeed(failed(1)), { kind: 'photos', photos: [failed(1, 'slow')] }, [['1 slow']]],
    ['one of two mended', ofFeed(failed(1), failed(2)), { kind: 'photos', photos: [ready(1)] }, [['2 gone']]],
    ['the last one mended', ofFeed(failed(1)), { kind: 'photos', photos: [ready(1)] }, [[]]],
    ['the picture no longer named', ofFeed(failed(1)), { kind: 'edit', content: withPhotos(2) }, [[]]],
    ['the offer removed', ofFeed(failed(1)), { kind: 'remove', by: 'feed' }, [[]]],
    ['the offer turned manual', ofFeed(failed(1)), { kind: 'manual', by: 'feed' }, [[]]],
    ['a picture had', ofFeed(), { kind: 'photos', photos: [ready(1)] }, []],
    [
      'an edit that leaves the failure',
      ofFeed(failed(1)),
      { kind: 'edit', content: { ...withPhotos(1, 2), title: 'Other' } },
      [],
    ],
    ['a hidden offer keeps its errors', ofFeed(failed(1)), { kind: 'hide' }, []],
  ] as const)('[P13] [G9] %s', (_name, offer, command, expected) => {
    expect(told(offer as never, command)).toEqual(expected);
  });
  test('[P13] the errors name the feed that the offer belonged to', () => {
    expect(alteration(ofFeed(failed(1)), { kind: 'manual', by: 'feed' }).messages).toContainEqual({
      kind: 'photo-errors',
      source,
      errors: [],
    });
  });
});
