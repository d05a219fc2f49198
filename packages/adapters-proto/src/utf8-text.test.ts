import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidUtf8, utf8Text } from './utf8-text.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const letters = fc.constantFrom('a', 'Я', '€', '😀', '\u0000', '\uFEFF', '\u{10FFFF}', '\uD7FF', '\uE000');

test('[G12] a text of any length comes back', () => {
  const text = fc.oneof(
    fc.string({ unit: letters, maxLength: 600 }),
    fc.string({ unit: 'binary', maxLength: 600 }),
  );
  fc.assert(
    fc.property(text, (said) => {
      expect(utf8Text(Buffer.from(said))).toBe(said);
    }),
    { numRuns: 1000 },
  );
});

test('[X6] bytes that are not UTF-8 are refused, all others are read', () => {
  const bytes = fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 5 }),
        letters.map((said) => Buffer.from(said)),
      ),
      { maxLength: 200 },
    )
    .map((parts) => Uint8Array.from(Buffer.concat(parts)));
  fc.assert(
    fc.property(bytes, (some) => {
      let text: string | undefined;
      try {
        text = decoder.decode(some);
      } catch {
        expect(() => utf8Text(some)).toThrow(InvalidUtf8);
        return;
      }
      expect(utf8Text(some)).toBe(text);
    }),
    { numRuns: 1000 },
  );
});
