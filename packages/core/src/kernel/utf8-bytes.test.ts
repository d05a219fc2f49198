import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8Bytes } from './utf8-bytes.ts';

test('counts the same bytes as an encoder, also for lone surrogates', () => {
  const unit = fc.constantFrom('a', 'Я', '€', '😀', '\uD83D', '\uDE00', '\u{10FFFF}');
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit }), fc.string({ unit: 'binary' })), (text) => {
      expect(utf8Bytes(text)).toBe(new TextEncoder().encode(text).length);
    }),
    { numRuns: 1000 },
  );
});
