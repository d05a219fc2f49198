import { seededRandom } from '../../kernel/testing.ts';
import type { OfferContent } from '../offer/offer.ts';
import { defaultOfferLimits } from '../offer/validation.ts';
import { sampleContent } from './samples.ts';

/** Texts that no compressor makes smaller. */
export const noise = (seed = 1) => {
  const random = seededRandom(seed);
  return {
    /** Four bytes of UTF-8 a character. */
    text: (chars: number): string =>
      Array.from({ length: chars }, () => String.fromCodePoint(0x20_000 + random.below(0xa000))).join(''),
    url: (chars: number): string => {
      const start = 'https://p.example/';
      const rest = Array.from({ length: chars - start.length }, () => random.below(36).toString(36));
      return start + rest.join('');
    },
  };
};

/** As much of everything as the limits allow together: pictures first, the description takes what is left. */
export const largestContent = (change: Partial<OfferContent> = {}, seed = 1): OfferContent => {
  const { photosMax, urlCharsMax, offerBytesMax, titleCharsMax, addressCharsMax } = defaultOfferLimits;
  const { text, url } = noise(seed);
  const photos = Array.from({ length: photosMax }, () => url(urlCharsMax));
  const used = photosMax * urlCharsMax + (titleCharsMax + addressCharsMax) * 4 + 2_000;
  return sampleContent({
    title: text(titleCharsMax),
    place: { address: text(addressCharsMax), point: undefined },
    photos,
    description: text(Math.floor((offerBytesMax - used) / 4)),
    ...change,
  });
};
