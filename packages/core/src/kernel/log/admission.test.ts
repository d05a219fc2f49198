import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordBytes } from './admission.ts';

const utf8 = new TextEncoder();

test('[B6] a record weighs exactly its bytes, whatever its key and headers are written in', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), {
        noNullPrototype: true,
      }),
      fc.uint8Array(),
      (key, headers, value) => {
        const texts = [key, ...Object.entries(headers).flat()];
        const expected = texts.reduce((sum, text) => sum + utf8.encode(text).length, value.length);
        expect(recordBytes({ key, headers, value })).toBe(expected);
      },
    ),
    { numRuns: 1_000 },
  );
  for (const key of ['\ud800', '\udc00', '\udc00\ud800', 'a\ud83d', '\ud83d\udd11', 'ключ', '€'])
    expect(recordBytes({ key, value: new Uint8Array() })).toBe(utf8.encode(key).length);
});
