import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8Text } from './utf8-text.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
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

test('[G12] bytes that are no text are read as everybody reads them', () => {
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
      expect(utf8Text(some)).toBe(decoder.decode(some));
    }),
    { numRuns: 1000 },
  );
});
