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
